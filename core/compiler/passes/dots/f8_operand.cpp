#include "core/compiler/passes/dots/f8_operand.h"

#include <absl/container/flat_hash_set.h>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Step = F8Operand::Step;

// The operands of `i` in which 8 bit floats are looked for.
std::pair<size_t, size_t> operandsLookedAt(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Divide:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
      return {0, 1};
    case Opcode::Multiply:
      return {0, 2};
    case Opcode::Select:
      return {1, 3};
    default:
      return {0, i.operandCount() == 1 ? 1 : 0};
  }
}

// The way from 8 bit floats to `i`: their instruction is the operand of the first step.
bool findWay(Instruction* i, std::vector<Step>& way, absl::flat_hash_set<const Instruction*>& seen) {
  if (!seen.insert(i).second || !i->shape().isArray()) return false;
  if (isF8(i->shape().elementType())) return true;
  const auto [first, end] = operandsLookedAt(*i);
  for (size_t k = first; k < end; ++k) {
    if (!findWay(i->operand(k), way, seen)) continue;
    way.push_back({i, k});
    return true;
  }
  return false;
}

// Elements are where they are moved to whether they are widened and scaled before it or after.
bool onlyMoves(const Step& step) {
  const Instruction& op = *step.op;
  const auto type = [](const Instruction& i) { return i.shape().elementType(); };
  switch (op.opcode()) {
    case Opcode::Bitcast:
      return type(op) == type(*op.operand(0));
    case Opcode::Broadcast:
    case Opcode::Copy:
    case Opcode::DynamicSlice:
    case Opcode::Reshape:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    case Opcode::Pad:
      return algebra::isAll(*op.operand(1), 0);
    case Opcode::Select:
      return algebra::isAll(*op.operand(3 - step.operand), 0);
    default:
      return false;
  }
}

// The scalar of a step that multiplies or divides by one; null: it does not.
Instruction* scaleOf(const Step& step) {
  const bool multiplies = step.op->opcode() == Opcode::Multiply;
  if (!multiplies && step.op->opcode() != Opcode::Divide) return nullptr;
  return algebra::scalarBehind(*step.op->operand(1 - step.operand));
}

Instruction* moveOf(const Step& step, Instruction* value, Instruction& before) {
  std::vector<Instruction*> operands(step.op->operands().begin(), step.op->operands().end());
  const ElementType type = value->shape().elementType();
  const bool isPad = step.op->opcode() == Opcode::Pad, isSelect = step.op->opcode() == Opcode::Select;
  if (isPad) operands[1] = convertTo(operands[1], type, before);
  if (isSelect) operands[3 - step.operand] = convertTo(operands[3 - step.operand], type, before);
  operands[step.operand] = value;
  Instruction* made = before.parent().createLike(*step.op, operands, &before);
  made->setShape(step.op->shape().withElementType(type));
  return made;
}

}  // namespace

bool isF8(ElementType type) {
  return isFloat(type) && elementBits(type) == 8 && type != ElementType::F8E8M0FNU;
}

Instruction* F8Operand::moved(Instruction& before) const {
  Instruction* at = value;
  for (const Step& step : moves) at = moveOf(step, at, before);
  return at;
}

std::optional<F8Operand> f8OperandOf(Instruction* operand) {
  std::vector<Step> way;
  absl::flat_hash_set<const Instruction*> seen;
  if (!findWay(operand, way, seen)) return std::nullopt;
  if (way.empty()) return F8Operand{.value = operand, .scale = nullptr, .divides = false, .moves = {}};
  if (way[0].op->opcode() != Opcode::Convert) return std::nullopt;
  F8Operand of{.value = way[0].op->operand(0), .scale = nullptr, .divides = false, .moves = {}};
  size_t begin = 1;
  if (way.size() > 1) of.scale = scaleOf(way[1]);
  if (of.scale != nullptr) of.divides = way[begin++].op->opcode() == Opcode::Divide;
  of.moves.assign(way.begin() + static_cast<std::ptrdiff_t>(begin), way.end());
  if (!std::ranges::all_of(of.moves, onlyMoves)) return std::nullopt;
  return of;
}

}  // namespace hilo
