#include "core/compiler/passes/collectives/pipeliner/rewrites.h"

namespace hilo {
namespace {

// A counter that an inner loop starts anywhere, moves up by a constant, and compares with a constant.
struct InnerCounter {
  Instruction* start;
  int64_t step, bound;
};

std::optional<int64_t> integerConstant(const Instruction& i) {
  if (i.opcode() != Opcode::Constant || i.shape() != Shape::scalar(ElementType::S32) ||
      i.literal().isElided())
    return std::nullopt;
  return i.literal().data<int32_t>()[0];
}

bool isElement(const Instruction& i, const Computation& computation, int64_t index) {
  return i.opcode() == Opcode::GetTupleElement && i.operand(0) == computation.parameters()[0] &&
         i.tupleIndex() == index;
}

std::optional<InnerCounter> innerCounter(const Instruction& value) {
  if (value.opcode() != Opcode::GetTupleElement || value.operand(0)->opcode() != Opcode::While)
    return std::nullopt;
  const Instruction& loop = *value.operand(0);
  const int64_t index = value.tupleIndex();
  const Computation &body = *loop.get<Attr::Body>(), &condition = *loop.get<Attr::Condition>();
  const Instruction& goesOn = *condition.root();
  if (loop.operand(0)->opcode() != Opcode::Tuple || body.root()->opcode() != Opcode::Tuple ||
      goesOn.opcode() != Opcode::Compare || goesOn.get<Attr::Direction>() != ComparisonDirection::Lt ||
      !isElement(*goesOn.operand(0), condition, index))
    return std::nullopt;
  const Instruction& next = *body.root()->operand(static_cast<size_t>(index));
  if (next.opcode() != Opcode::Add || !isElement(*next.operand(0), body, index)) return std::nullopt;
  const auto bound = integerConstant(*goesOn.operand(1)), step = integerConstant(*next.operand(1));
  if (!bound || !step || *step <= 0) return std::nullopt;
  return InnerCounter{loop.operand(0)->operand(static_cast<size_t>(index)), *step, *bound};
}

}  // namespace

// start + max(0, ceil((bound - start) / step)) * step, in s64, where nothing overflows.
Instruction* withoutInnerLoop(Instruction* value) {
  const auto counter = innerCounter(*value);
  if (!counter) return value;
  Computation& computation = value->parent();
  const Shape wide = Shape::scalar(ElementType::S64);
  const auto number = [&](int64_t n) { return makeInteger(computation, wide, n); };
  const auto make = [&](Opcode opcode, Instruction* a, Instruction* b) {
    return computation.create(opcode, wide, {a, b});
  };
  Instruction* start = computation.create(Opcode::Convert, wide, {counter->start});
  Instruction* left = make(Opcode::Maximum, number(0), make(Opcode::Subtract, number(counter->bound), start));
  Instruction* trips =
      make(Opcode::Divide, make(Opcode::Add, left, number(counter->step - 1)), number(counter->step));
  Instruction* end = make(Opcode::Add, start, make(Opcode::Multiply, trips, number(counter->step)));
  return computation.create(Opcode::Convert, value->shape(), {end});
}

}  // namespace hilo
