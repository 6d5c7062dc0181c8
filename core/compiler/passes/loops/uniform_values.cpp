#include "core/compiler/passes/loops/uniform_values.h"

#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

bool mayDiffer(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
    case Opcode::Parameter:
    case Opcode::CustomCall:
    case Opcode::Opaque:
    case Opcode::Infeed:
    case Opcode::Rng:
      return true;
    default:
      return opcodeClass(i.opcode()) == OpcodeClass::Collective ||
             opcodeClass(i.opcode()) == OpcodeClass::Communication || !i.calledComputations().empty() ||
             hasSideEffect(i);
  }
}

// Of constants alone, around the loop.
bool isConstant(const Instruction& value, int depth = 0) {
  if (depth > 32 || mayDiffer(value)) return false;
  return std::ranges::all_of(value.operands(),
                             [&](const Instruction* o) { return isConstant(*o, depth + 1); });
}

}  // namespace

UniformValues::UniformValues(const Instruction& loop) {
  const Computation& body = *loop.get<Attr::Body>();
  const Instruction &parameter = *body.parameters()[0], &root = *body.root(), &init = *loop.operand(0);
  if (root.opcode() != Opcode::Tuple || init.opcode() != Opcode::Tuple) return;
  std::vector<bool> carried(root.operandCount());
  for (size_t i = 0; i < carried.size(); ++i) carried[i] = isConstant(*init.operand(i));
  // What the next iteration gets must be uniform too: take out what is not until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    uniform_.clear();
    for (const Instruction* i : body.instructions()) {
      const bool isElement = i->opcode() == Opcode::GetTupleElement && i->operand(0) == &parameter;
      const bool uniform =
          isElement ? carried[static_cast<size_t>(i->tupleIndex())]
                    : !mayDiffer(*i) && std::ranges::all_of(i->operands(), [&](const Instruction* o) {
                        return uniform_.contains(o);
                      });
      if (uniform) uniform_.insert(i);
    }
    for (size_t i = 0; i < carried.size(); ++i) {
      if (!carried[i] || uniform_.contains(root.operand(i))) continue;
      carried[i] = false;
      changed = true;
    }
  }
}

}  // namespace hilo
