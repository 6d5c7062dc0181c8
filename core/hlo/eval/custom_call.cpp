// Custom calls whose meaning XLA itself fixes: annotations that leave values as they are, and top-k. All
// others are refused by their target.
#include "core/hlo/eval/handlers.h"
#include "core/hlo/ir/custom_call_targets.h"

namespace hilo::eval {

Result<Literal> topKAlongLast(const Instruction& instruction, const Literal& operand, int64_t k, bool largest,
                              EvalContext& context);

std::optional<Diagnostic> customCallRefusal(const Instruction& instruction) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  if (target == "TopK") return std::nullopt;
  if (isIdentityTarget(target)) {
    if (instruction.operandCount() == 1 &&
        instruction.operand(0)->shape().withoutLayout() == instruction.shape().withoutLayout()) {
      return std::nullopt;
    }
    return unsupportedOpcode(instruction, fmt::format("custom-call {} changes the shape", target)).error();
  }
  return unsupportedOpcode(instruction,
                           fmt::format("custom-call target \"{}\" has no meaning known here", target))
      .error();
}

Result<Literal> customCall(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  if (auto refused = customCallRefusal(instruction)) return std::unexpected(*std::move(refused));
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  if (instruction.get<Attr::CustomCallTarget>() != "TopK") return std::move(operands[0]);
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isTuple() && shape.tupleShapes().size() == 2 && shape.tupleShapes()[0].isArray() &&
                   shape.tupleShapes()[0].rank() >= 1,
               "TopK must give values and indices");
  const Shape values = shape.tupleShapes()[0];
  return topKAlongLast(instruction, operands[0], values.dimension(values.rank() - 1), true, context);
}

}  // namespace hilo::eval
