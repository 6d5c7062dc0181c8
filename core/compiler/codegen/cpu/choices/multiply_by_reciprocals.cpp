#include <limits>

#include "core/compiler/codegen/cpu/choices/fuse_dot_chains.h"

namespace hilo {
namespace {

bool isConstant(const Instruction& instruction, float value) {
  return instruction.opcode() == Opcode::Constant && instruction.shape().rank() == 0 &&
         instruction.literal().data<float>()[0] == value;
}

// The rows of `operand` folded by `opcode`, from `start` on.
bool isRowFold(const Instruction& fold, Opcode opcode, float start) {
  if (fold.opcode() != Opcode::Reduce || fold.operandCount() != 2 || fold.dimensions().size() != 1)
    return false;
  const Computation& apply = *fold.get<Attr::ToApply>();
  const Instruction& root = *apply.root();
  return fold.dimensions()[0] == static_cast<int64_t>(fold.operand(0)->shape().rank()) - 1 &&
         isConstant(*fold.operand(1), start) && apply.parameters().size() == 2 && root.opcode() == opcode &&
         root.operand(0) != root.operand(1) && root.operand(0)->opcode() == Opcode::Parameter &&
         root.operand(1)->opcode() == Opcode::Parameter;
}

// What the rows were folded to, back in each of their elements; null when it is something else.
Instruction* foldOfRows(const Instruction& broadcast, const Instruction& rows, Opcode opcode, float start) {
  if (broadcast.opcode() != Opcode::Broadcast) return nullptr;
  Instruction* fold = broadcast.operand(0);
  for (size_t i = 0; i < broadcast.dimensions().size(); ++i) {
    if (broadcast.dimensions()[i] != static_cast<int64_t>(i)) return nullptr;
  }
  const bool isOne = isRowFold(*fold, opcode, start) && fold->operand(0) == &rows &&
                     std::ranges::equal(broadcast.shape().dimensions(), rows.shape().dimensions());
  return isOne ? fold : nullptr;
}

// e^(x - the row's largest)
bool isPowerBelowTop(const Instruction& power) {
  if (power.opcode() != Opcode::Exponential || power.operand(0)->opcode() != Opcode::Subtract) return false;
  const Instruction& below = *power.operand(0);
  return foldOfRows(*below.operand(1), *below.operand(0), Opcode::Maximum,
                    -std::numeric_limits<float>::infinity()) != nullptr;
}

}  // namespace

bool multiplyByReciprocals(Computation& fused) {
  bool changed = false;
  for (Instruction* quotient : fused.instructions()) {
    if (quotient->opcode() != Opcode::Divide || quotient->shape().elementType() != ElementType::F32) continue;
    Instruction* power = quotient->operand(0);
    Instruction* sums = quotient->operand(1);
    Instruction* sum = foldOfRows(*sums, *power, Opcode::Add, 0);
    if (sum == nullptr || !isPowerBelowTop(*power)) continue;
    const Shape shape = sum->shape();
    Literal number(Shape::scalar(ElementType::F32));
    number.mutableData<float>()[0] = 1;
    Instruction* one = fused.createConstant(std::move(number), quotient);
    Instruction* ones = fused.create(Opcode::Broadcast, shape, {one}, {}, quotient);
    ones->set<Attr::Dimensions>(std::vector<int64_t>{});
    Instruction* reciprocal = fused.create(Opcode::Divide, shape, {ones, sum}, {}, quotient);
    Instruction* factors = fused.createLike(*sums, {{reciprocal}}, quotient);
    fused.replaceAllUses(quotient,
                         fused.create(Opcode::Multiply, quotient->shape(), {power, factors}, {}, quotient));
    fused.remove(quotient);
    if (sums->users().empty()) fused.remove(sums);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
