#include "core/compiler/codegen/lower/update_in_place.h"

#include "core/analysis/dataflow/alias_rules.h"

namespace hilo {

namespace {

// Whether a kernel that writes `update` over its operand has read what it needs of each element before: of a
// single element all is read first; of several each is written where a slice at the same place was read.
bool readsBeforeItWrites(const Instruction& update) {
  const Instruction& written = *update.operand(0);
  if (update.operand(1)->shape().elementCount() == 1) return true;
  return std::ranges::all_of(written.users(), [&](const Instruction* user) {
    if (user == &update) return std::ranges::count(update.operands(), &written) == 1;
    const bool isSamePlace =
        user->opcode() == Opcode::DynamicSlice &&
        user->shape().dimensions().size() == update.shape().rank() &&
        std::ranges::equal(user->shape().dimensions(), update.operand(1)->shape().dimensions()) &&
        std::ranges::equal(user->operands().subspan(1), update.operands().subspan(2));
    return isSamePlace && isElementwiseUpTo(*user, update, 1);
  });
}

}  // namespace

std::optional<LeafValue> updatedInto(const Instruction& instruction, const Instruction& update,
                                     LoweringContext& context) {
  const bool isFusion = &instruction != &update;
  const Instruction& operand =
      isFusion ? *instruction.operand(static_cast<size_t>(update.operand(0)->parameterNumber()))
               : *instruction.operand(0);
  const LeafValue from = context.leafOf(operand);
  // Other readers in the kernel must see the old values.
  const bool readsFirst = !isFusion || readsBeforeItWrites(update);
  LeafValue result = from;
  const bool inPlace = readsFirst && timesRead(from, instruction, context) == 1 &&
                       sameMemoryOrder(operand.shape(), instruction.shape());
  // `from` and `result` hold it too.
  from.slab->permissive += 2;
  const bool last = inPlace && context.isLastUse(from, instruction);
  from.slab->permissive -= 2;
  if (!last) {
    if (!sameMemoryOrder(operand.shape(), instruction.shape())) return std::nullopt;
    result = context.newLeaf(instruction.shape());
    context.copy(instruction, from, result);
  }
  return result;
}

}  // namespace hilo
