// Asynchronous operations run where they start, or as soon as their operands are there; what travels to the
// done is (operands, result, context...), the context being zeros.
#include "core/base/check.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {
namespace {

// The computation an async instruction is part of: its own, or its start's.
const Computation& wrappedBy(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while (at->opcode() != Opcode::AsyncStart && at->get<Attr::Calls>() == nullptr) at = at->operand(0);
  return *at->get<Attr::Calls>();
}

// Of the result in the tuple that travels; "()" stands there until all operands are bound.
bool hasPlaceFor(Shape part, Shape result) {
  return part.isTuple() == result.isTuple() && arrayLeaves(part).size() == arrayLeaves(result).size();
}

// The result is computed when every operand is there and the shape has a place for it.
Result<LeafValues> startedAsync(const Instruction& instruction, std::vector<LeafValues> bound,
                                std::span<const Shape> shapes, LoweringContext& context) {
  const Computation& wrapped = wrappedBy(instruction);
  const auto parts = instruction.shape().tupleShapes();
  LeafValues all;
  for (size_t i = 0; i < bound.size(); ++i) {
    const LeafValues own = context.arranged(instruction, bound[i], shapes[i], parts[0].tupleShapes()[i]);
    all.insert(all.end(), own.begin(), own.end());
  }
  size_t made = 1;
  if (hasPlaceFor(parts[1], wrapped.root()->shape()) && bound.size() == wrapped.parameters().size()) {
    TRY(const LeafValues result,
        lowerCalled(instruction, wrapped, std::move(bound), shapes, parts[1], context));
    all.insert(all.end(), result.begin(), result.end());
    made = 2;
  }
  for (size_t i = made; i < parts.size(); ++i) {
    const LeafValues rest = zeros(parts[i], context);
    all.insert(all.end(), rest.begin(), rest.end());
  }
  return all;
}

}  // namespace

// Of a start: its operands; of an update: those of before and the new ones.
Status lowerAsyncStart(const Instruction& instruction, LoweringContext& context) {
  std::vector<LeafValues> bound;
  std::vector<Shape> shapes;
  size_t first = 0;
  if (instruction.opcode() == Opcode::AsyncUpdate) {
    const Instruction& before = *instruction.operand(0);
    if (instruction.operandCount() == 1 && before.shape() == instruction.shape()) {
      context.values[&instruction] = LeafValues(context.valuesOf(before));
      return {};
    }
    auto leaf = context.valuesOf(before).begin();
    for (const Shape shape : before.shape().tupleShapes()[0].tupleShapes()) {
      const auto count = static_cast<ptrdiff_t>(arrayLeaves(shape).size());
      bound.emplace_back(leaf, leaf + count);
      shapes.push_back(shape);
      leaf += count;
    }
    first = 1;
  }
  for (size_t i = first; i < instruction.operandCount(); ++i) {
    bound.push_back(context.valuesOf(*instruction.operand(i)));
    shapes.push_back(instruction.operand(i)->shape());
  }
  TRY(LeafValues all, startedAsync(instruction, std::move(bound), shapes, context));
  context.values[&instruction] = std::move(all);
  return {};
}

Status lowerAsyncDone(const Instruction& instruction, LoweringContext& context) {
  const Instruction& started = *instruction.operand(0);
  const auto parts = started.shape().tupleShapes();
  const LeafValues& all = context.valuesOf(started);
  const size_t operands = arrayLeaves(parts[0]).size();
  if (hasPlaceFor(parts[1], instruction.shape())) {
    const auto first = all.begin() + static_cast<ptrdiff_t>(operands);
    const LeafValues result(first, first + static_cast<ptrdiff_t>(arrayLeaves(parts[1]).size()));
    context.values[&instruction] = context.arranged(instruction, result, parts[1], instruction.shape());
    return {};
  }
  // The result had no place in the tuple until now.
  std::vector<LeafValues> bound;
  auto leaf = all.begin();
  for (const Shape shape : parts[0].tupleShapes()) {
    const auto count = static_cast<ptrdiff_t>(arrayLeaves(shape).size());
    bound.emplace_back(leaf, leaf + count);
    leaf += count;
  }
  TRY(LeafValues result, lowerCalled(instruction, wrappedBy(instruction), std::move(bound),
                                     parts[0].tupleShapes(), instruction.shape(), context));
  context.values[&instruction] = std::move(result);
  return {};
}

// (destination, source, context...)
Status lowerCopyStart(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  const auto parts = instruction.shape().tupleShapes();
  LeafValues all;
  for (size_t i = 0; i < parts.size(); ++i) {
    const LeafValues part =
        i < 2 ? context.arranged(instruction, context.valuesOf(operand), operand.shape(), parts[i])
              : zeros(parts[i], context);
    all.insert(all.end(), part.begin(), part.end());
  }
  context.values[&instruction] = std::move(all);
  return {};
}

}  // namespace hilo
