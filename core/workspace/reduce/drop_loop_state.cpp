#include <algorithm>

#include "core/compiler/passes/loops/loop_parts.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// Readers of element `index` read zeros instead; those of elements behind it count one less.
void renumber(Instruction& tuple, int64_t index) {
  const std::vector<Instruction*> readers(tuple.users().begin(), tuple.users().end());
  for (Instruction* reader : readers) {
    if (reader->opcode() != Opcode::GetTupleElement) continue;
    if (reader->tupleIndex() > index) reader->set<Attr::Index>(reader->tupleIndex() - 1);
  }
}

void replaceElement(const std::vector<Instruction*>& readers) {
  for (Instruction* reader : readers) {
    Computation& computation = reader->parent();
    Instruction* zeros = makeZero(computation, reader->shape());
    // What it is made of stands before it at the end.
    for (Instruction* made : {zeros->operandCount() > 0 ? zeros->operand(0) : nullptr, zeros}) {
      if (made != nullptr) computation.moveBefore(made, reader);
    }
    computation.replaceAllUses(reader, zeros);
    computation.remove(reader);
  }
}

std::vector<Instruction*> elementsOf(const Instruction& tuple, int64_t index) {
  std::vector<Instruction*> found;
  for (Instruction* user : tuple.users()) {
    if (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == index) found.push_back(user);
  }
  return found;
}

Shape without(Shape tuple, int64_t index) {
  std::vector<Shape> shapes(tuple.tupleShapes().begin(), tuple.tupleShapes().end());
  shapes.erase(shapes.begin() + index);
  return Shape::tuple(shapes);
}

void dropOperand(Instruction& tuple, int64_t index, Shape shape) {
  std::vector<Instruction*> operands(tuple.operands().begin(), tuple.operands().end());
  operands.erase(operands.begin() + index);
  tuple.become(Opcode::Tuple, operands);
  tuple.setShape(shape);
}

bool dropElement(Instruction& loop, int64_t index) {
  if (!whyLoopIsFixed(loop).empty()) return false;
  const auto parts = takeLoopApart(loop);
  if (!parts || index >= parts->size() || parts->size() < 2) return false;
  const Shape shape = without(parts->parameter->shape(), index);
  if (!parts->parameter->shape().tupleShapes()[static_cast<size_t>(index)].isArray()) return false;
  Instruction* conditionParameter = parts->condition->parameters()[0];
  for (Instruction* tuple : {parts->loop, parts->parameter, conditionParameter}) {
    replaceElement(elementsOf(*tuple, index));
    renumber(*tuple, index);
    tuple->setShape(shape);
  }
  dropOperand(*parts->init, index, shape);
  dropOperand(*parts->root, index, shape);
  loop.erase(Attr::Sharding);
  return true;
}

}  // namespace

std::vector<MoveSite> dropLoopStateSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* loop : whileLoopsOf(*computation)) {
      const auto count =
          static_cast<int64_t>(loop->shape().isTuple() ? loop->shape().tupleShapes().size() : 0);
      for (int64_t i = 0; i < count; ++i) sites.push_back({loop->id(), i});
    }
  }
  return sites;
}

// The last element first: the others keep their numbers.
bool dropLoopState(Draft& draft, std::span<const MoveSite> at) {
  std::vector<MoveSite> sites(at.begin(), at.end());
  std::ranges::sort(sites, std::greater(), &MoveSite::part);
  bool changed = false;
  for (const MoveSite& site : sites) {
    Instruction* loop = draft.module->instruction(site.instruction);
    if (loop != nullptr && loop->opcode() == Opcode::While) changed |= dropElement(*loop, site.part);
  }
  return changed;
}

}  // namespace hilo
