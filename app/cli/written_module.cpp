#include "app/cli/written_module.h"

#include <fmt/format.h>
#include <unistd.h>

namespace hilo::cli {

std::optional<bool> largeConstantsOn(const std::string& path, OutputKind kind) {
  const bool isRead = path == "-" && kind == OutputKind::Text && isatty(STDOUT_FILENO) != 0;
  return isRead ? std::optional(false) : std::nullopt;
}

void noteElided(const std::string& path, OutputKind kind, std::string_view text) {
  if (!largeConstantsOn(path, kind) || text.find("constant({...})") == std::string_view::npos) return;
  fmt::print(stderr, "note: large constants are shown as {{...}}; a file or a pipe gets all values\n");
}

Status writeResult(const std::string& path, const Module& module, OutputKind kind) {
  const ConvertOptions options{
      .kind = kind, .gzip = path.ends_with(".gz"), .largeConstants = largeConstantsOn(path, kind)};
  TRY(const std::string bytes, convertModule(module, options));
  TRY_STATUS(writeOutput(path, bytes));
  noteElided(path, kind, bytes);
  return {};
}

}  // namespace hilo::cli
