#include "core/workspace/open/verify_file.h"

#include <fmt/format.h>

#include "core/hlo/verify/verify.h"
#include "core/workspace/open/source_names.h"

namespace hilo {

Diagnostics verifyFile(const OpenedFile& file) {
  Diagnostics all = file.diagnostics;
  VerifyOptions options;
  options.fileName = file.path;
  options.firstLine = file.firstLine;
  for (Diagnostic& diagnostic : verify(*file.module, options))
    all.push_back(inSourceNames(std::move(diagnostic), file));
  for (const auto& other : file.others) {
    for (Diagnostic& diagnostic : verifyFile(*other)) all.push_back(std::move(diagnostic));
  }
  return all;
}

Diagnostics verifyModule(const Module& module) { return verify(module); }

Status requireVerified(const Module& module) {
  constexpr size_t kNoted = 4;
  Diagnostics found = verify(module, {.onlyBreaking = true});
  if (found.empty()) return {};
  Diagnostic first = std::move(found[0]);
  for (size_t i = 1; i < found.size() && i <= kNoted; ++i) first.notes.push_back(toString(found[i]));
  if (found.size() > kNoted + 1)
    first.notes.push_back(fmt::format("and {} more: hilo verify lists them", found.size() - kNoted - 1));
  return std::unexpected(std::move(first));
}

Diagnostic placedIn(const OpenedFile& file, Diagnostic diagnostic) {
  Place& place = diagnostic.place;
  if (!place.file.empty() || (place.line == 0 && place.computation.empty())) return diagnostic;
  place.file = file.path;
  if (place.line > 0) place.line += file.firstLine - 1;
  return diagnostic;
}

}  // namespace hilo
