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

// A constant or a broadcast of one.
Instruction* copiedTo(Computation& computation, const Instruction& constant) {
  std::vector<Instruction*> operands;
  Instruction* before = computation.first();
  for (const Instruction* operand : constant.operands()) operands.push_back(copiedTo(computation, *operand));
  return computation.createLike(constant, operands, before);
}

void readConstant(Computation& computation, size_t index, const Instruction& constant) {
  const std::vector<Instruction*> readers = readersOf(computation, index);
  if (readers.empty()) return;
  Instruction* copy = copiedTo(computation, constant);
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

bool isSunk(const Instruction& first, const SunkConstants& which) {
  if (which.scalarsOnly && !first.shape().isScalar()) return false;
  return first.opcode() == Opcode::Constant || (which.broadcasts && first.opcode() == Opcode::Broadcast &&
                                                first.operand(0)->opcode() == Opcode::Constant);
}

std::vector<size_t> constantsOf(const Instruction& loop, const SunkConstants& which) {
  std::vector<size_t> indices;
  const Instruction& init = *loop.operand(0);
  if (init.opcode() != Opcode::Tuple) return indices;
  for (size_t k = 0; k < init.operandCount(); ++k) {
    if (!isSunk(*init.operand(k), which) || !isPassed(loop, k)) continue;
    if (!readersOf(*loop.get<Attr::Body>(), k).empty() || !readersOf(*loop.get<Attr::Condition>(), k).empty())
      indices.push_back(k);
  }
  return indices;
}

Result<bool> sinkInto(Instruction& loop, PassContext& context, const SunkConstants& which) {
  if (!whyLoopIsFixed(loop).empty()) return false;
  const std::vector<size_t> indices = constantsOf(loop, which);
  if (indices.empty() || !context.mayChange(loop)) return false;
  context.remark(loop, "sunk", fmt::format("{} constants read in the loop", indices.size()));
  TRY(const LoopParts parts, takeLoopApart(loop));
  for (const size_t k : indices) {
    readConstant(*parts.body, k, *parts.init->operand(k));
    readConstant(*parts.condition, k, *parts.init->operand(k));
  }
  return true;
}

// Fused, or run by another thread.
absl::flat_hash_set<const Computation*> otherComputations(Module& module) {
  const auto& all = module.computations();
  absl::flat_hash_set<const Computation*> others(all.begin(), all.end());
  for (const Computation* computation : unfusedComputations(module)) others.erase(computation);
  return others;
}

}  // namespace

Result<bool> sinkLoopConstants(Module& module, PassContext& context, const SunkConstants& which) {
  bool changed = false;
  std::vector<Computation*> left = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = otherComputations(module);
  while (!left.empty()) {
    Computation* computation = left.back();
    left.pop_back();
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      TRY(const bool sunk, sinkInto(*loop, context, which));
      changed = changed || sunk;
    }
    for (const Instruction* i : computation->instructions()) {
      for (Computation* called : i->calledComputations()) {
        if (seen.insert(called).second) left.push_back(called);
      }
    }
  }
  return changed;
}

}  // namespace hilo
