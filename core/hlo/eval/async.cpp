// Asynchronous operations run to completion at their start; what travels to the done is a tuple of the
// operands, the result and whatever context the shape declares (zeros).
#include "core/hlo/eval/handlers.h"

namespace hilo::eval {
namespace {

// Elements of the instruction's tuple shape from `first` on, zero-filled.
Status appendContext(const Instruction& instruction, size_t first, std::vector<Literal>& elements,
                     EvalContext& context) {
  const auto shapes = instruction.shape().tupleShapes();
  for (size_t i = first; i < shapes.size(); ++i) {
    TRY(Literal zero, context.make(shapes[i]));
    elements.push_back(std::move(zero));
  }
  return {};
}

}  // namespace

Result<Literal> asyncStart(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  const Computation* wrapped = instruction.get<Attr::Calls>();
  EVAL_REQUIRE(wrapped != nullptr && instruction.shape().isTuple(), "names no computation or is no tuple");
  std::vector<Literal> elements;
  elements.push_back(Literal::tuple({operands.begin(), operands.end()}));
  TRY(Literal result, context.call(*wrapped, {operands.begin(), operands.end()}));
  elements.push_back(std::move(result));
  TRY_STATUS(appendContext(instruction, 2, elements, context));
  return Literal::tuple(std::move(elements));
}

Result<Literal> asyncUpdate(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  return forwardFirst(instruction, operands, context);
}

Result<Literal> asyncDone(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  EVAL_REQUIRE(operands.size() == 1 && operands[0].isTuple() && operands[0].elements().size() >= 2,
               "the operand is no started operation");
  return std::move(operands[0].mutableElements()[1]);
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
