#include "core/compiler/passes/collectives/windowed/scaled_operand.h"

#include <algorithm>
#include <array>

#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {
namespace {

using enum ElementType;

bool isEightBitFloat(ElementType type) {
  return type == F8E4M3FN || type == F8E5M2 || type == F8E4M3FNUZ || type == F8E5M2FNUZ;
}

// Both of one format family, and at most one with five bits of exponent.
bool canBeMultiplied(ElementType lhs, ElementType rhs) {
  const auto pair = [&](ElementType four, ElementType five) {
    return (lhs == four && (rhs == four || rhs == five)) || (lhs == five && rhs == four);
  };
  return pair(F8E4M3FN, F8E5M2) || pair(F8E4M3FNUZ, F8E5M2FNUZ);
}

bool movesData(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Copy:
    case Opcode::Reshape:
    case Opcode::Transpose:
      return i.operandCount() == 1 && i.operand(0)->shape().isArray() &&
             i.operand(0)->shape().elementType() == i.shape().elementType();
    default:
      return false;
  }
}

bool isReplicated(const Instruction& i) {
  const Sharding* sharding = i.get<Attr::Sharding>();
  return sharding != nullptr && sharding->named == nullptr && sharding->type == Sharding::Type::Replicated;
}

// One operand of the loop: what is scaled, and what is done to it in between, first the scaling's reader.
struct LoopOperand {
  ScaledOperand scaled;
  std::vector<Instruction*> moves;
};

std::optional<LoopOperand> loopOperand(Instruction* value) {
  LoopOperand found;
  for (; movesData(*value); value = value->operand(0)) found.moves.push_back(value);
  std::ranges::reverse(found.moves);
  const auto scaled = scaledOperand(*value);
  if (!scaled) return std::nullopt;
  found.scaled = *scaled;
  return found;
}

// The element as the body gets it and all its permutes, when the body hands on one of them; else empty.
std::vector<Instruction*> handedOn(const Computation& body, int64_t index) {
  std::vector<Instruction*> values;
  for (Instruction* user : body.parameters()[0]->users()) {
    if (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == index) values.push_back(user);
  }
  for (size_t k = 0; k < values.size(); ++k) {
    for (Instruction* user : values[k]->users()) {
      if (user->opcode() == Opcode::CollectivePermute && user->operandCount() == 1) values.push_back(user);
    }
  }
  const Instruction* next = body.root()->operand(static_cast<size_t>(index));
  return std::ranges::find(values, next) == values.end() ? std::vector<Instruction*>() : values;
}

void setElement(const LoopParts& parts, int64_t index, Shape element) {
  for (Instruction* tuple :
       {parts.init, parts.loop, parts.parameter, parts.root, parts.condition->parameters()[0]}) {
    const auto old = tuple->shape().tupleShapes();
    std::vector<Shape> shapes(old.begin(), old.end());
    shapes[static_cast<size_t>(index)] = element;
    tuple->setShape(Shape::tuple(shapes));
  }
}

// Every reader of `value` but permutes and the root reads it scaled.
void scaleForReaders(const LoopParts& parts, const ScaledOperand& scaled, Instruction* value,
                     Instruction* scale) {
  const std::vector<Instruction*> readers(value->users().begin(), value->users().end());
  Instruction* made = nullptr;
  for (Instruction* reader : readers) {
    if (reader == parts.root || reader->opcode() == Opcode::CollectivePermute) continue;
    if (made == nullptr) made = scaleAs(scaled, value, scale, *parts.body);
    replaceUsesBy(reader, value, made);
  }
}

void moveOne(LoopParts& parts, int64_t index, const LoopOperand& operand) {
  Instruction* stored = operand.scaled.stored;
  for (Instruction* move : operand.moves) {
    Instruction* same = parts.outside().createLike(*move, {{stored}}, parts.init);
    same->setShape(move->shape().withElementType(stored->shape().elementType()));
    stored = same;
  }
  parts.init->setOperand(static_cast<size_t>(index), stored);
  setElement(parts, index, stored->shape());
  const std::vector<Instruction*> values = handedOn(*parts.body, index);
  for (Instruction* value : values) value->setShape(stored->shape());
  const Shape scalar = operand.scaled.scale->shape();
  Instruction* scale =
      parts.body->create(Opcode::GetTupleElement, scalar, {parts.parameter}, {}, parts.parameter->next());
  scale->set<Attr::Index>(parts.size());
  CHECK(carry(parts, operand.scaled.scale, scale) == scale->tupleIndex());
  for (Instruction* value : values) scaleForReaders(parts, operand.scaled, value, scale);
  for (Instruction* after : elementsAfterLoop(parts, index)) {
    const std::vector<Instruction*> readers(after->users().begin(), after->users().end());
    const bool isRoot = after->isRoot();
    after->setShape(stored->shape());
    Instruction* made = scaleAs(operand.scaled, after, operand.scaled.scale, parts.outside());
    for (Instruction* reader : readers) replaceUsesBy(reader, after, made);
    if (isRoot) parts.outside().setRoot(made);
  }
}

}  // namespace

std::optional<ScaledOperand> scaledOperand(Instruction& value) {
  const bool multiplies = value.opcode() == Opcode::Multiply;
  if ((!multiplies && value.opcode() != Opcode::Divide) || !value.shape().isArray()) return std::nullopt;
  const ElementType wide = value.shape().elementType();
  if (wide != F16 && wide != BF16 && wide != F32) return std::nullopt;
  Instruction *convert = value.operand(0), *broadcast = value.operand(1);
  if (multiplies && convert->opcode() == Opcode::Broadcast) std::swap(convert, broadcast);
  if (convert->opcode() != Opcode::Convert || broadcast->opcode() != Opcode::Broadcast) return std::nullopt;
  if (!isEightBitFloat(convert->operand(0)->shape().elementType())) return std::nullopt;
  if (broadcast->operand(0)->shape().rank() != 0) return std::nullopt;
  return ScaledOperand{&value, convert->operand(0), broadcast->operand(0)};
}

bool isSameOnPartitions(const Instruction& scale) {
  const Instruction* i = &scale;
  // Operands but the first are looked at where they are constants: a chain, not a graph.
  for (;; i = i->operand(0)) {
    if (i->opcode() == Opcode::Constant) return true;
    if (i->opcode() == Opcode::Parameter) return i->parent().isEntry() && isReplicated(*i);
    if (i->opcode() == Opcode::AllReduce) return groupSizeOf(*i) == gridOf(i->module()).count();
    if (i->operandCount() == 0 || (!isElementwise(i->opcode()) && !movesData(*i))) return false;
    for (size_t k = 1; k < i->operandCount(); ++k) {
      if (i->operand(k)->opcode() != Opcode::Constant) return false;
    }
  }
}

Instruction* scaleAs(const ScaledOperand& original, Instruction* stored, Instruction* scale,
                     Computation& to) {
  const Shape wide = stored->shape().withElementType(original.work->shape().elementType());
  Instruction* converted = to.create(Opcode::Convert, wide, {stored});
  Instruction* spread = to.create(Opcode::Broadcast, wide, {scale});
  spread->set<Attr::Dimensions>(std::span<const int64_t>());
  return to.create(original.work->opcode(), wide, {converted, spread});
}

Result<bool> moveScalingIntoLoop(Instruction& loop) {
  const Instruction& init = *loop.operand(0);
  if (init.opcode() != Opcode::Tuple || init.operandCount() < 2) return false;
  std::array<std::optional<LoopOperand>, 2> operands;
  for (size_t k = 0; k < 2; ++k) {
    operands[k] = loopOperand(init.operand(k));
    if (!operands[k]) return false;
    const auto values = handedOn(*loop.get<Attr::Body>(), static_cast<int64_t>(k));
    const bool isSent = std::ranges::count(values, Opcode::CollectivePermute, &Instruction::opcode) > 0;
    if (values.empty() || (isSent && !isSameOnPartitions(*operands[k]->scaled.scale))) return false;
  }
  if (!canBeMultiplied(operands[0]->scaled.stored->shape().elementType(),
                       operands[1]->scaled.stored->shape().elementType()))
    return false;
  TRY(LoopParts parts, takeLoopApart(loop));
  for (size_t k = 0; k < 2; ++k) moveOne(parts, static_cast<int64_t>(k), *operands[k]);
  restoreOrder(parts);
  return true;
}

}  // namespace hilo
