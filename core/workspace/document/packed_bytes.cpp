#include "core/workspace/document/packed_bytes.h"

#include "core/hlo/proto/gzip.h"

namespace hilo {
namespace {
// The first byte says which form the rest has, so that contents which are gzip files themselves come back
// as they were.
constexpr char kPlain = 'p', kGzip = 'z';
// Below what inflateGzip() takes for an attempt to fill the memory.
constexpr size_t kLargestRatio = 60;
}  // namespace

std::string packBytes(std::string_view bytes) {
  std::string packed = deflateGzip(bytes);
  const bool smaller = packed.size() < bytes.size() && bytes.size() / packed.size() < kLargestRatio;
  return smaller ? kGzip + packed : std::string(1, kPlain).append(bytes);
}

Result<std::string> unpackBytes(std::string_view packed) {
  if (packed.empty()) return std::string();
  const std::string_view rest = packed.substr(1);
  if (packed[0] == kPlain) return std::string(rest);
  if (packed[0] != kGzip) return fail("gzip-corrupt", "contents of an unknown form");
  return inflateGzip(rest);
}

}  // namespace hilo
