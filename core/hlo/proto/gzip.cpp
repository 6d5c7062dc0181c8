#include "core/hlo/proto/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int kGzipWindowBits = 15 + 16;
constexpr size_t kChunkBytes = 256 * 1024;

class InflateStream {
 public:
  InflateStream() { CHECK(inflateInit2(&stream_, kGzipWindowBits) == Z_OK); }
  ~InflateStream() { inflateEnd(&stream_); }
  z_stream& operator*() { return stream_; }
  z_stream* operator->() { return &stream_; }

 private:
  z_stream stream_ = {};
};

}  // namespace

bool isGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

Result<std::string> inflateGzip(std::string_view bytes, const InflateLimits& limits) {
  const uint64_t byRatio = std::max<uint64_t>(limits.freeBytes, uint64_t(bytes.size()) * limits.maxRatio);
  const uint64_t maxBytes = std::min(limits.maxBytes, byRatio);
  InflateStream stream;
  std::string output;
  std::string chunk(kChunkBytes, '\0');
  size_t consumed = 0;
  while (true) {
    const size_t feed = std::min<size_t>(bytes.size() - consumed, std::numeric_limits<uInt>::max());
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
    stream->avail_in = static_cast<uInt>(feed);
    stream->next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream->avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(&*stream, Z_NO_FLUSH);
    consumed += feed - stream->avail_in;
    const size_t produced = chunk.size() - stream->avail_out;
    if (output.size() + produced > maxBytes) {
      return fail("gzip-too-large", fmt::format("gzip data of {} bytes inflates to more than {} bytes",
                                                bytes.size(), maxBytes));
    }
    output.append(chunk, 0, produced);
    if (status == Z_STREAM_END) {
      // Bytes after the last member that are not another member are padding; tools write such files.
      if (!isGzip(bytes.substr(consumed))) return output;
      CHECK(inflateReset(&*stream) == Z_OK);
    } else if (status == Z_BUF_ERROR || (status == Z_OK && consumed == bytes.size() && produced == 0)) {
      return fail("gzip-truncated",
                  fmt::format("gzip data ends early, after {} bytes of output", output.size()));
    } else if (status != Z_OK) {
      return fail("gzip-corrupt", fmt::format("gzip data is corrupt at byte {}: {}", consumed,
                                              stream->msg ? stream->msg : "unknown error"));
    }
  }
}

std::string deflateGzip(std::string_view bytes) {
  z_stream stream = {};
  CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, 8, Z_DEFAULT_STRATEGY) ==
        Z_OK);
  CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  std::string output(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  output.resize(stream.total_out);
  deflateEnd(&stream);
  return output;
}

}  // namespace hilo
