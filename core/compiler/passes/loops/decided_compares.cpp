#include "core/compiler/passes/loops/decided_compares.h"

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/constants.h"

namespace hilo {
namespace {

// Of every value of the range with the constant; nullopt where they differ.
std::optional<bool> outcomeOf(const ValueRange& range, ComparisonDirection direction, int64_t constant) {
  using enum ComparisonDirection;
  const auto decided = [](bool always, bool never) {
    return always ? std::optional(true) : never ? std::optional(false) : std::nullopt;
  };
  const bool isOutside = constant < range.min || constant > range.max;
  const bool isOnly = range.min == constant && range.max == constant;
  switch (direction) {
    case Lt:
      return decided(range.max < constant, range.min >= constant);
    case Le:
      return decided(range.max <= constant, range.min > constant);
    case Gt:
      return decided(range.min > constant, range.max <= constant);
    case Ge:
      return decided(range.min >= constant, range.max < constant);
    case Eq:
      return decided(isOnly, isOutside);
    case Ne:
      return decided(isOutside, isOnly);
  }
  return std::nullopt;
}

std::optional<bool> outcomeOf(const Instruction& i, const Instruction& loop) {
  if (i.opcode() != Opcode::Compare || !i.shape().isScalar() || i.has(Attr::ControlPredecessors))
    return std::nullopt;
  const auto constant = algebra::scalarInteger(*i.operand(1));
  const auto direction = i.get<Attr::Direction>();
  if (!constant || !direction || i.operand(0)->opcode() == Opcode::Constant) return std::nullopt;
  const auto range = valueRangeInBody(*i.operand(0), loop);
  return range ? outcomeOf(*range, *direction, *constant) : std::nullopt;
}

}  // namespace

bool decideCompares(Instruction& loop, PassContext& context) {
  Computation& body = *loop.get<Attr::Body>();
  bool changed = false;
  for (Instruction* i : body.instructions()) {
    const auto outcome = outcomeOf(*i, loop);
    if (!outcome) continue;
    if (!context.mayChange(*i)) return changed;
    context.remark(*i, "simplified", *outcome ? "true in every iteration" : "false in every iteration");
    Literal value{i->shape()};
    value.mutableBytes()[0] = static_cast<std::byte>(*outcome ? 1 : 0);
    body.replaceAllUses(i, body.createConstant(std::move(value), i));
    body.remove(i);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
