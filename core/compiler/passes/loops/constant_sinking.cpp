#include "core/compiler/passes/loops/constant_sinking.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {
namespace {

bool isPassed(const Instruction& loop, size_t index) {
  const Computation& body = *loop.get<Attr::Body>();
  const Instruction& next = *body.root()->operand(index);
  return next.opcode() == Opcode::GetTupleElement && next.operand(0) == body.parameters()[0] &&
         next.tupleIndex() == static_cast<int64_t>(index);
}

// Users of an element that would read the constant instead: all but the tuple that carries it on.
std::vector<Instruction*> readersOf(const Computation& computation, size_t index) {
  std::vector<Instruction*> readers;
  for (Instruction* element : computation.parameters()[0]->users()) {
    if (element->tupleIndex() != static_cast<int64_t>(index)) continue;
    for (Instruction* user : element->users()) {
      if (user != computation.root() || user->opcode() != Opcode::Tuple) readers.push_back(user);
    }
  }
  return readers;
}

void readConstant(Computation& computation, size_t index, const Instruction& constant) {
  const std::vector<Instruction*> readers = readersOf(computation, index);
  if (readers.empty()) return;
  Instruction* copy = computation.createLike(constant, {}, computation.first());
  for (Instruction* reader : readers) {
    for (size_t k = 0; k < reader->operandCount(); ++k) {
      const Instruction* operand = reader->operand(k);
      if (operand->opcode() == Opcode::GetTupleElement &&
          operand->operand(0) == computation.parameters()[0] &&
          operand->tupleIndex() == static_cast<int64_t>(index))
        reader->setOperand(k, copy);
    }
  }
}

std::vector<size_t> constantsOf(const Instruction& loop) {
  std::vector<size_t> indices;
  const Instruction& init = *loop.operand(0);
  if (init.opcode() != Opcode::Tuple) return indices;
  for (size_t k = 0; k < init.operandCount(); ++k) {
    const Instruction& first = *init.operand(k);
    if (first.opcode() != Opcode::Constant || !first.shape().isScalar() || !isPassed(loop, k)) continue;
    if (!readersOf(*loop.get<Attr::Body>(), k).empty() || !readersOf(*loop.get<Attr::Condition>(), k).empty())
      indices.push_back(k);
  }
  return indices;
}

}  // namespace

Result<bool> sinkLoopConstants(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      if (!whyLoopIsFixed(*loop).empty()) continue;
      const std::vector<size_t> indices = constantsOf(*loop);
      if (indices.empty()) continue;
      if (!context.mayChange(*loop)) return changed;
      context.remark(*loop, "sunk", fmt::format("{} constants read in the loop", indices.size()));
      TRY(const LoopParts parts, takeLoopApart(*loop));
      for (const size_t k : indices) {
        readConstant(*parts.body, k, *parts.init->operand(k));
        readConstant(*parts.condition, k, *parts.init->operand(k));
      }
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
