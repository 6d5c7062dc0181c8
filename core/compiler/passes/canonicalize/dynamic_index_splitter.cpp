#include "core/compiler/passes/canonicalize/dynamic_index_splitter.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Where its starts begin among the operands.
size_t firstStart(const Instruction& i) { return i.opcode() == Opcode::DynamicSlice ? 1 : 2; }

bool hasVector(const Instruction& i) {
  if (i.opcode() != Opcode::DynamicSlice && i.opcode() != Opcode::DynamicUpdateSlice) return false;
  const Shape whole = i.operand(0)->shape();
  if (!whole.isArray() || whole.rank() == 0) return whole.isArray();
  return i.operandCount() == firstStart(i) + 1 && i.operand(firstStart(i))->shape().rank() == 1;
}

Instruction* split(Instruction& i) {
  const size_t first = firstStart(i);
  if (i.operand(0)->shape().rank() == 0) return i.operand(first - 1);
  std::vector<Instruction*> operands(i.operands().begin(),
                                     i.operands().begin() + static_cast<ptrdiff_t>(first));
  for (size_t d = 0; d < i.operand(0)->shape().rank(); ++d)
    operands.push_back(elementOf(i.operand(first), static_cast<int64_t>(d), i));
  return i.parent().createLike(i, operands, &i);
}

}  // namespace

Result<bool> splitDynamicIndices(Module& module, PassContext& context) {
  return rewriteEach(module, context, "split", hasVector, split);
}

}  // namespace hilo
