// Asynchronous operations run to completion as soon as their operands are there, mostly at their start; what
// travels to the done is a tuple of the operands, the result and whatever context the shape declares (zeros).
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// Elements of the instruction's tuple shape from `first` on, zero-filled.
Status appendContext(const Instruction& instruction, size_t first, std::vector<Literal>& elements,
                     EvalContext& context) {
  const auto shapes = instruction.shape().tupleShapes();
  for (size_t i = first; i < shapes.size(); ++i) {
    TRY(Literal zero, zeros(shapes[i], context));
    elements.push_back(std::move(zero));
  }
  return {};
}

// The computation that an async instruction is part of: its own, or its start's.
const Computation* wrappedBy(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while (at->opcode() == Opcode::AsyncUpdate || at->opcode() == Opcode::AsyncDone) {
    if (const Computation* own = at->get<Attr::Calls>()) return own;
    if (at->operandCount() == 0) return nullptr;
    at = at->operand(0);
  }
  return at->opcode() == Opcode::AsyncStart ? at->get<Attr::Calls>() : nullptr;
}

// Of the result in the tuple that travels; "()" stands there until all operands are bound.
bool hasPlaceFor(Shape place, Shape result) {
  return place.isTuple() == result.isTuple() &&
         (!place.isTuple() || place.tupleShapes().size() == result.tupleShapes().size());
}

// (operands so far, result, context...): the result where all operands are there and the shape has a place
// for it, else zeros.
Result<Literal> started(const Instruction& instruction, std::vector<Literal> bound, EvalContext& context) {
  const Computation* wrapped = wrappedBy(instruction);
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(
      wrapped != nullptr && wrapped->root() != nullptr && shape.isTuple() && shape.tupleShapes().size() >= 2,
      "names no computation or is no tuple of operands and result");
  std::vector<Literal> elements;
  elements.push_back(Literal::tuple(bound));
  const Shape place = shape.tupleShapes()[1];
  if (hasPlaceFor(place, wrapped->root()->shape()) && bound.size() == wrapped->parameters().size()) {
    TRY(Literal result, context.call(*wrapped, std::move(bound)));
    elements.push_back(std::move(result));
  }
  TRY_STATUS(appendContext(instruction, elements.size(), elements, context));
  return Literal::tuple(std::move(elements));
}

}  // namespace

Result<Literal> asyncStart(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  return started(instruction, {operands.begin(), operands.end()}, context);
}

// May bring operands that the start lacked.
Result<Literal> asyncUpdate(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  if (operands.size() == 1 && instruction.operand(0)->shape() == instruction.shape())
    return std::move(operands[0]);
  EVAL_REQUIRE(
      operands[0].isTuple() && operands[0].elements().size() >= 2 && operands[0].elements()[0].isTuple(),
      "the operand is no started operation");
  const auto before = operands[0].elements()[0].elements();
  std::vector<Literal> bound(before.begin(), before.end());
  bound.insert(bound.end(), operands.begin() + 1, operands.end());
  return started(instruction, std::move(bound), context);
}

Result<Literal> asyncDone(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() == 1 && operands[0].isTuple() && operands[0].elements().size() >= 2,
               "the operand is no started operation");
  Literal& result = operands[0].mutableElements()[1];
  if (hasPlaceFor(result.shape(), instruction.shape())) return std::move(result);
  // The result had no place in the tuple until now.
  const Computation* wrapped = wrappedBy(instruction);
  EVAL_REQUIRE(wrapped != nullptr && operands[0].elements()[0].isTuple(), "names no computation");
  const auto bound = operands[0].elements()[0].elements();
  return context.call(*wrapped, {bound.begin(), bound.end()});
}

// (destination, source, context)
Result<Literal> copyStart(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() == 1 && instruction.shape().isTuple(), "needs one operand and a tuple shape");
  std::vector<Literal> elements = {operands[0], operands[0]};
  TRY_STATUS(appendContext(instruction, 2, elements, context));
  return Literal::tuple(std::move(elements));
}

Result<Literal> copyDone(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  EVAL_REQUIRE(operands.size() == 1 && operands[0].isTuple() && !operands[0].elements().empty(),
               "the operand is no started copy");
  return std::move(operands[0].mutableElements()[0]);
}

}  // namespace hilo::eval
