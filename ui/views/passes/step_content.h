// What is shown of one step of a series, computed in a job. Private to the view.
#pragma once

#include <memory>

#include "core/analysis/diff/alike_changes.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo {

struct StepContent {
  std::shared_ptr<const Module> before;  // null for step 0
  std::shared_ptr<const Module> after;
  StepDiff diff;
  std::vector<InstructionChange> changes;  // the diff's, and what stands elsewhere in the order
  std::vector<AlikeChanges> alike;
  SideBySide text;
  size_t beforeStep = 0;
};

}  // namespace hilo
