#include "core/compiler/passes/collectives/windowed/loop_sums.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The dots of element + dot + dot ..., first one first; empty where the next value is something else.
std::vector<Instruction*> dotsAdded(const LoopParts& parts, int64_t index) {
  std::vector<Instruction*> dots;
  Instruction* sum = parts.root->operand(static_cast<size_t>(index));
  while (sum->opcode() == Opcode::Add && sum->users().size() == 1) {
    const size_t side = sum->operand(1)->opcode() == Opcode::Dot ? 1 : 0;
    if (sum->operand(side)->opcode() != Opcode::Dot) return {};
    dots.push_back(sum->operand(side));
    sum = sum->operand(1 - side);
  }
  std::ranges::reverse(dots);
  const bool starts = sum->opcode() == Opcode::GetTupleElement && sum->operand(0) == parts.parameter &&
                      sum->tupleIndex() == index;
  return starts ? dots : std::vector<Instruction*>();
}

std::vector<int64_t> stackOf(Shape shape, int64_t count) {
  std::vector<int64_t> sizes = {count};
  sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
  return sizes;
}

Instruction* stacked(const LoopParts& parts, std::span<Instruction* const> dots) {
  const Shape each = dots[0]->shape();
  std::vector<Instruction*> layers;
  for (Instruction* dot : dots) layers.push_back(reshapeTo(dot, stackOf(each, 1), *parts.root));
  const Shape all = arrayLike(each, each.elementType(), stackOf(each, std::ssize(dots)));
  Instruction* stack = parts.body->create(Opcode::Concatenate, all, layers);
  stack->set<Attr::Dimensions>(std::vector<int64_t>{0});
  return stack;
}

// The sum over the first dimension.
Instruction* summed(Computation& outside, Instruction* stack, Shape shape) {
  const Shape scalar = Shape::scalar(shape.elementType());
  Instruction* sum = outside.create(Opcode::Reduce, shape, {stack, makeZero(outside, scalar)});
  sum->set<Attr::Dimensions>(std::vector<int64_t>{0});
  sum->set<Attr::ToApply>(additionOf(outside.module(), shape.elementType(), &outside));
  return sum;
}

void moveOne(LoopParts& parts, int64_t index, std::span<Instruction* const> dots) {
  Computation& outside = parts.outside();
  const std::vector<Instruction*> readers = elementsAfterLoop(parts, index);
  Instruction* start = parts.init->operand(static_cast<size_t>(index));
  parts.root->setOperand(static_cast<size_t>(index), elementInBody(parts, index));
  Instruction* stack = stacked(parts, dots);
  const int64_t carried = carry(parts, makeZero(outside, stack->shape()), stack);
  if (readers.empty()) return;
  Instruction* sum = summed(outside, elementAfterLoop(parts, carried), start->shape());
  if (algebra::splatValue(*start) != 0) sum = outside.create(Opcode::Add, start->shape(), {start, sum});
  for (Instruction* reader : readers) outside.replaceAllUses(reader, sum);
}

}  // namespace

int64_t moveSumsBehindLoop(LoopParts& parts) {
  int64_t moved = 0;
  for (int64_t index = 0, size = parts.size(); index < size; ++index) {
    const std::vector<Instruction*> dots = dotsAdded(parts, index);
    if (dots.size() < 2) continue;
    moveOne(parts, index, dots);
    ++moved;
  }
  if (moved > 0) restoreOrder(parts);
  return moved;
}

}  // namespace hilo
