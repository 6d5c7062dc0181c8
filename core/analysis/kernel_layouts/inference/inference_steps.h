// What the solver did, step by step, as rows for people and programs: which rule set which layout.
#pragma once

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

namespace hilo::inference {

// A constraint by what it comes from.
struct NamedConstraint {
  std::string rule;        // "wgmma"; "relayout" between an array and its use
  std::string opcode;      // of the operation
  uint32_t line = 0;       // 0: the kernel has none
  std::string constraint;  // "%x of arith.addf equals WGMMA"
};
NamedConstraint namedConstraint(const KernelDescription& kernel, const KernelLayouts& layouts,
                                uint32_t number);
// "line 12, mosaic_gpu.wgmma: %x of arith.addf equals WGMMA"
std::string toString(const NamedConstraint& constraint);

struct ListedStep {
  size_t number = 0;  // from 1 on
  InferenceStep::Kind kind = InferenceStep::Kind::Set;
  uint32_t round = 0;
  uint32_t depth = 0;            // tries that stand
  std::string variable, layout;  // of Set, Try and BackOut
  // The one that it was done for; of a conflict all that its constraint came from.
  std::vector<NamedConstraint> constraints;
};
// "set", "holds", "try", "conflict", "take back".
std::string_view stepWord(InferenceStep::Kind kind);

// Those that the search kept (SearchLimits::steps), in order.
std::vector<ListedStep> listedSteps(const KernelDescription& kernel, const KernelLayouts& layouts);

// Why a variable has its layout, in words.
std::string causeText(const KernelDescription& kernel, const KernelLayouts& layouts, const Cause& cause);

}  // namespace hilo::inference
