#include <fmt/format.h>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/overwritten_values.h"
#include "core/analysis/lint/rules.h"

namespace hilo {

// Before a schedule, copy-insertion is still to come and makes the copies that are missing.
void lintOverwrites(const Module& module, LintFindings& found) {
  if (!module.isScheduled()) return;
  const auto aliases = AliasAnalysis::run(module, backendOf(module));
  if (!aliases) return;  // only where the module does not verify
  const ValueLiveRanges ranges(*aliases);
  for (const OverwrittenValue& lost : overwrittenValues(ranges)) {
    found.push_back({.instruction = &aliases->dataflow().value(lost.value).instruction(),
                     .message = overwrittenText(aliases->dataflow(), lost),
                     .notes = {"copy-insertion puts a copy there: hilo opt --passes=copy-insertion"}});
  }
}

}  // namespace hilo
