#include "core/workspace/open/read_bytes.h"

#include "core/hlo/proto/gzip.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/workspace/open/opened.h"

namespace hilo {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Status checkIsText(std::string_view bytes, const std::string& path) {
  constexpr size_t kLookedAt = 8192;
  if (bytes.substr(0, kLookedAt).find('\0') == std::string_view::npos) return {};
  return fail("not-text", fmt::format("{} is a binary file of {} bytes", path, bytes.size()), {.file = path},
              {"there is nothing in it to read as text"});
}

}  // namespace

Result<std::string> readBytes(const std::string& path, const CancelToken& cancel, size_t limitBytes) {
  std::error_code error;
  const bool fromInput = path == "-";
  if (!fromInput && std::filesystem::is_directory(path, error)) {
    return fail("is-a-directory", fmt::format("{} is a directory", path));
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

Result<std::string> readText(const std::string& path, const CancelToken& cancel) {
  constexpr size_t kTextLimit = size_t{1} << 30;
  TRY(std::string bytes, readBytes(path, cancel, kTextLimit));
  if (isGzip(bytes)) {
    TRY(bytes, inflateGzip(bytes));
  }
  TRY_STATUS(checkIsText(bytes, path));
  return bytes;
}

Result<std::string> readDumpText(const OpenedDump& dump, const std::string& path, const CancelToken& cancel) {
  TRY(std::string bytes, readDumpFile(dump, path, cancel));
  TRY_STATUS(checkIsText(bytes, path));
  return bytes;
}
}  // namespace hilo
