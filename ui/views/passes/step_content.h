// Private to the view.
#pragma once

#include "ui/views/passes/passes_view.h"

namespace hilo {

// What is shown of one step, computed in a job.
struct PassesView::StepContent {
  std::shared_ptr<const Module> before;  // null for step 0
  std::shared_ptr<const Module> after;
  StepDiff diff;
  std::vector<InstructionChange> changes;  // the diff's, and what stands elsewhere in the order
  std::vector<AlikeChanges> alike;
  SideBySide text;
  size_t beforeStep = 0;
};

}  // namespace hilo
