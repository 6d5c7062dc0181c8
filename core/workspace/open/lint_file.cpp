#include "core/workspace/open/lint_file.h"

#include "core/analysis/lint/lint.h"
#include "core/workspace/open/source_names.h"

namespace hilo {
namespace {

Diagnostics warningsOf(const Module& module, const auto& placeOf) {
  Diagnostics warnings;
  for (LintFinding& finding : lint(module)) {
    warnings.push_back({.severity = Severity::kWarning,
                        .kind = std::string(finding.kind),
                        .message = std::move(finding.message),
                        .place = placeOf(*finding.instruction),
                        .notes = std::move(finding.notes)});
  }
  return warnings;
}

}  // namespace

Diagnostics lintModule(const Module& module) {
  return warningsOf(module, [](const Instruction& i) {
    Place place;
    place.computation = i.parent().name();
    place.instruction = i.name();
    return place;
  });
}

Diagnostics lintFile(const OpenedFile& file) {
  Diagnostics warnings = warningsOf(*file.module, [&](const Instruction& i) { return placeOf(file, i); });
  for (Diagnostic& warning : warnings) warning = inSourceNames(std::move(warning), file);
  for (const auto& other : file.others) {
    for (Diagnostic& warning : lintFile(*other)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace hilo
