// What makes no kernels: instructions whose values are those of others, or are there already.
#include <fmt/format.h>

#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo {

// Bound by whoever made the context.
Status lowerParameter(const Instruction&, LoweringContext&) { return {}; }

Status lowerAfterAll(const Instruction& instruction, LoweringContext& context) {
  context.values[&instruction] = {};
  return {};
}

std::optional<Diagnostic> constantObstacle(const Instruction& instruction, const HasHandler&) {
  if (!instruction.literal().isElided()) return std::nullopt;
  return obstacle(instruction, "elided-constant", "the values of the constant are missing");
}

Status lowerConstant(const Instruction& instruction, LoweringContext& context) {
  context.values[&instruction] = context.constantLeaves(instruction.literal());
  return {};
}

Status lowerForward(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  context.values[&instruction] =
      context.arranged(instruction, context.valuesOf(operand), operand.shape(), instruction.shape());
  return {};
}

std::optional<Diagnostic> bitcastObstacle(const Instruction& instruction, const HasHandler&) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (from.isArray() && bufferBytes(to) == bufferBytes(from)) return std::nullopt;
  return obstacle(
      instruction, "unsupported-layout",
      fmt::format("bitcast from {} to {} changes the number of bytes", toString(from), toString(to)));
}

// The bytes as they lie.
Status lowerBitcast(const Instruction& instruction, LoweringContext& context) {
  context.values[&instruction] = LeafValues(context.valuesOf(*instruction.operand(0)));
  return {};
}

// The same bytes between plain orders.
Status lowerReshape(const Instruction& instruction, LoweringContext& context) {
  const auto isPlain = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  const bool isSame = isPlain(from) && isPlain(to) && !from.isDynamic() && !to.isDynamic() &&
                      !readsRealSizes(instruction, context);
  return isSame ? lowerBitcast(instruction, context)
                : context.draft.engine.lowerElements(instruction, context);
}

// The array itself is as good as a copy of it in the same order, as values are never changed.
Status lowerCopy(const Instruction& instruction, LoweringContext& context) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (to.isTuple()) return lowerForward(instruction, context);
  if (to.isDynamic() || !sameMemoryOrder(from, to))
    return context.draft.engine.lowerElements(instruction, context);
  context.values[&instruction] =
      context.arranged(instruction, context.valuesOf(*instruction.operand(0)), from, to);
  return {};
}

Status lowerTuple(const Instruction& instruction, LoweringContext& context) {
  LeafValues all;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    const LeafValues part = context.arranged(instruction, context.valuesOf(operand), operand.shape(),
                                             instruction.shape().tupleShapes()[i]);
    all.insert(all.end(), part.begin(), part.end());
  }
  context.values[&instruction] = std::move(all);
  return {};
}

Status lowerGetTupleElement(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  const auto element = static_cast<size_t>(instruction.tupleIndex());
  const LeafValues& all = context.valuesOf(operand);
  const auto first = all.begin() + static_cast<ptrdiff_t>(firstLeafOf(operand.shape(), element));
  const LeafValues own(first, first + static_cast<ptrdiff_t>(arrayLeaves(instruction.shape()).size()));
  context.values[&instruction] =
      context.arranged(instruction, own, operand.shape().tupleShapes()[element], instruction.shape());
  return {};
}

Status lowerCopyDone(const Instruction& instruction, LoweringContext& context) {
  const Instruction& started = *instruction.operand(0);
  context.values[&instruction] = context.arranged(instruction, {context.valuesOf(started)[0]},
                                                  started.shape().tupleShapes()[0], instruction.shape());
  return {};
}

}  // namespace hilo
