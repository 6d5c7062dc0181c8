#include "core/hlo/eval/handlers.h"

namespace hilo::eval {

Result<Literal> constant(const Instruction& instruction, std::span<Literal>, EvalContext& context) {
  if (const auto* replacements = context.options().constants) {
    if (const auto found = replacements->find(&instruction); found != replacements->end())
      return found->second;
  }
  const Literal* literal = instruction.get<Attr::Literal>();
  EVAL_REQUIRE(literal != nullptr, "has no literal");
  if (literal->isElided()) {
    return fail("elided-constant", "the constant's values were not printed", placeOf(instruction),
                {"give values for elided constants, or dump the module with large constants printed"});
  }
  return *literal;
}

// The entry's parameters are put in place before the run, so this is reached only for a single instruction.
Result<Literal> parameter(const Instruction& instruction, std::span<Literal>, EvalContext&) {
  return fail("unsupported-opcode", "a parameter has no value of its own", placeOf(instruction));
}

Result<Literal> forwardFirst(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  return std::move(operands[0]);
}

Result<Literal> getTupleElement(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  const auto index = instruction.get<Attr::Index>();
  EVAL_REQUIRE(operands[0].isTuple() && index && *index >= 0 &&
                   static_cast<size_t>(*index) < operands[0].elements().size(),
               "index is not one of the operand's elements");
  return std::move(operands[0].mutableElements()[static_cast<size_t>(*index)]);
}

Result<Literal> tuple(const Instruction&, std::span<Literal> operands, EvalContext&) {
  return Literal::tuple({std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())});
}

Result<Literal> token(const Instruction&, std::span<Literal>, EvalContext&) {
  return Literal(Shape::token());
}

Result<Literal> replicaId(const Instruction&, std::span<Literal>, EvalContext& context) {
  return Literal::scalar<uint32_t>(ElementType::U32, static_cast<uint32_t>(context.options().replicaId));
}
Result<Literal> partitionId(const Instruction&, std::span<Literal>, EvalContext& context) {
  return Literal::scalar<uint32_t>(ElementType::U32, static_cast<uint32_t>(context.options().partitionId));
}

}  // namespace hilo::eval
