#include "core/analysis/lint/lint.h"

#include <fmt/format.h>

#include "core/analysis/lint/rules.h"

namespace hilo {

std::vector<LintInfo> lints() {
  return {
#define LINT(kind, function, description) {kind, description, function},
#include "core/analysis/lint/lints.def"
#undef LINT
  };
}

LintFindings lint(const Module& module, size_t most) {
  LintFindings all;
  for (const LintInfo& info : lints()) {
    LintFindings found;
    info.find(module, found);
    if (found.size() > most) {
      const size_t more = found.size() - most;
      found.resize(most);
      if (most > 0) found.back().notes.push_back(fmt::format("and {} more of this kind", more));
    }
    for (LintFinding& finding : found) {
      finding.kind = info.kind;
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace hilo
