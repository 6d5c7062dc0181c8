#include "core/compiler/codegen/emit/applied_computation.h"

namespace hilo {
namespace {

// What has a meaning one element at a time.
bool isApplicable(const Instruction& inner) {
  switch (inner.opcode()) {
    case Opcode::Constant:
      return inner.shape().isArray() && inner.shape().elementCount() == 1;
    case Opcode::Parameter:
      return inner.shape().isScalar();
    case Opcode::Conditional:
    case Opcode::Call:
    case Opcode::Fusion:
      return std::ranges::all_of(inner.operands(),
                                 [](const Instruction* o) { return o->shape().isScalar(); });
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::Copy:
    case Opcode::Dot:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::GetTupleElement:
    case Opcode::Iota:
    case Opcode::Map:
    case Opcode::OptBarrier:
    case Opcode::Pad:
    case Opcode::Reduce:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    case Opcode::Tuple:
      return std::ranges::all_of(inner.operands(), [](const Instruction* o) { return o->shape().isArray(); });
    case Opcode::Bitcast:
      return inner.shape().isScalar() && inner.operand(0)->shape().isScalar();
    default:
      return isElementwise(inner.opcode());
  }
}

}  // namespace

const Instruction* firstNotApplicable(const Computation& computation) {
  for (const Instruction* inner : computation.instructions()) {
    if (!isApplicable(*inner)) return inner;
    for (const Computation* called : inner->calledComputations()) {
      if (const Instruction* found = firstNotApplicable(*called)) return found;
    }
  }
  return nullptr;
}

}  // namespace hilo
