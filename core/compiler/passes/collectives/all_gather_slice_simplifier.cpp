#include "core/compiler/passes/collectives/all_gather_slice_simplifier.h"

#include "core/compiler/passes/collectives/gathered_slice.h"
#include "core/compiler/passes/collectives/own_parts.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

template <bool shared>
bool takesItsOwn(const Instruction& slice) {
  const auto found = gatheredSlice(slice, shared);
  return found && takesOwnParts(slice, *found->gather, found->dimension, found->part) &&
         (slice.operand(0) == found->gather || liesRowMajor(found->gather->operand(0)->shape()));
}

Instruction* whatWasGathered(Instruction& slice) {
  Instruction* whole = slice.operand(0);
  if (whole->opcode() == Opcode::AllGather) return whole->operand(0);
  return reshapedAs(whole->operand(0)->operand(0), slice.shape(), slice);
}

}  // namespace

Result<bool> simplifySlicesOfAllGathers(Module& module, PassContext& context, const SlicesOfGathers& which) {
  const auto applies = which.ofSharedGathers ? takesItsOwn<true> : takesItsOwn<false>;
  return rewriteEach(module, context, "cancelled", applies, whatWasGathered);
}

}  // namespace hilo
