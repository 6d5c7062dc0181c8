// A reduction as one kernel, or as one that folds parts of what is folded and one that folds what those gave.
#pragma once

#include "core/compiler/codegen/gpu/reduction_form.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::gpu {

// What a kernel does: all of the reduction, or one of its parts, or what the parts gave.
enum class ReductionWork { Whole, Parts, Rest };

// `Kernel` writes one by its plan. The plan says in how many `parts`; `rest` is that of the second kernel.
// `add(plan, work, results, tables)` adds a kernel that reads what the first gave from `tables`. False: it is
// too large for one kernel.
template <typename Kernel, typename Plan>
Result<bool> lowerInParts(const Instruction& instruction, const ReductionForm& form, const Plan& plan,
                          const Plan& rest, LoweringContext& context, const auto& add) {
  const LeafValues results = context.newLeaves(instruction.shape());
  Status done;
  if (plan.parts == 1) {
    done = add(plan, ReductionWork::Whole, results, LeafValues());
  } else {
    LeafValues parts;
    for (const ElementType type : partTypes(form))
      parts.push_back(context.newLeaf(Kernel::partsShape(type, plan, ReductionWork::Parts)));
    done = add(plan, ReductionWork::Parts, parts, LeafValues());
    if (done) done = add(rest, ReductionWork::Rest, results, parts);
  }
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  passSizesOn(instruction, context);
  return true;
}

}  // namespace hilo::gpu
