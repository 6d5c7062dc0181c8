#include "core/base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace hilo {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

}  // namespace

Result<std::string> readBytes(const std::string& path, const CancelToken& cancel, size_t limitBytes) {
  std::error_code error;
  const bool fromInput = path == "-";
  if (!fromInput && std::filesystem::is_directory(path, error)) {
    return fail("is-a-directory", fmt::format("{} is a directory, not a file", path));
  }
  const std::unique_ptr<std::FILE, CloseFile> file(fromInput ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    const char* kind = errno == ENOENT ? "file-not-found" : "not-readable";
    return fail(kind, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  std::string bytes;
  constexpr size_t kChunk = size_t{1} << 20;
  // One allocation for a plain file; what cannot be sized (a pipe) grows.
  const auto size = fromInput ? 0 : std::filesystem::file_size(path, error);
  if (!error && size <= limitBytes) bytes.reserve(size + kChunk);
  for (;;) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    const size_t before = bytes.size();
    size_t got = 0;
    bytes.resize_and_overwrite(before + kChunk, [&](char* to, size_t) {
      got = std::fread(to + before, 1, kChunk, file.get());
      return before + got;
    });
    if (bytes.size() > limitBytes)
      return fail("file-too-large", fmt::format("{} is larger than {} bytes", path, limitBytes));
    if (got < kChunk) break;
  }
  if (std::ferror(file.get())) return fail("not-readable", fmt::format("{}: {}", path, std::strerror(errno)));
  return bytes;
}

Status writeBytes(const std::string& path, std::string_view bytes) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  // Nothing takes a device's place.
  const bool replaces = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  static std::atomic<uint64_t> counter = 0;
  const std::string target = replaces ? fmt::format("{}.{}.{}.partial", path, ::getpid(), counter++) : path;
  std::FILE* file = std::fopen(target.c_str(), "wb");
  if (file == nullptr) return fail("not-writable", fmt::format("{}: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int why = written ? 0 : errno;
  if (std::fclose(file) != 0 && why == 0) why = errno;
  if (why == 0 && replaces && std::rename(target.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return {};
  if (replaces) std::remove(target.c_str());
  return fail("not-writable", fmt::format("{}: {}", path, std::strerror(why)));
}

}  // namespace hilo
