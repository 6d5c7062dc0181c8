// hilo diff --unified: the texts, aligned by what is the same instruction.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/diff_forms.h"
#include "app/cli/report.h"
#include "core/analysis/diff/unified_lines.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo::cli {

int printUnifiedDiff(const DiffedModules& modules, const DiffForm& form) {
  const PassSeries pair =
      comparisonSeries(makeStep("before", modules.before), makeStep("after", modules.after));
  const auto both = sideBySide(pair, 0, 1, form.semantic ? TextForm::Semantic : TextForm::AsRead);
  if (!both) {
    printError(both.error());
    return kUsage;
  }
  const LineDiff& diff = both->diff;
  const std::string& after = modules.afterPath.empty() ? modules.beforePath : modules.afterPath;
  const std::string text = unifiedText(diff.rows, splitLines(both->left.text), splitLines(both->right.text),
                                       form.context, modules.beforePath, after);
  if (form.json) {
    printJson({{"added", diff.added},
               {"removed", diff.removed},
               {"changed", diff.changed},
               {"moved", diff.moved},
               {"unified", text}});
  } else {
    fmt::print("{}", text);
  }
  return text.empty() ? kOk : kNo;
}

}  // namespace hilo::cli
