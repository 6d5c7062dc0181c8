#include "core/workspace/open/read_bytes.h"

#include "core/hlo/proto/gzip.h"

#include <fmt/format.h>

#include "core/workspace/open/opened.h"

namespace hilo {
namespace {

Status checkIsText(std::string_view bytes, const std::string& path) {
  constexpr size_t kLookedAt = 8192;
  if (bytes.substr(0, kLookedAt).find('\0') == std::string_view::npos) return {};
  return fail("not-text", fmt::format("{} is a binary file of {} bytes", path, bytes.size()), {.file = path},
              {"there is nothing in it to read as text"});
}

}  // namespace

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
