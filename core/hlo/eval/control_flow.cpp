#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

std::vector<Literal> taken(std::span<Literal> operands) {
  return {std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())};
}

Result<bool> predOf(const Instruction& instruction, const Literal& literal) {
  EVAL_REQUIRE(literal.shape().isScalar() && literal.shape().elementType() == ElementType::Pred,
               "needs a pred scalar");
  return literal.data<uint8_t>()[0] != 0;
}

}  // namespace

Result<Literal> call(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Computation* callee = instruction.get<Attr::ToApply>();
  EVAL_REQUIRE(callee != nullptr, "names no computation");
  return context.call(*callee, taken(operands));
}

Result<Literal> fusion(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Computation* callee = instruction.get<Attr::Calls>();
  EVAL_REQUIRE(callee != nullptr, "names no computation");
  return context.call(*callee, taken(operands));
}

// A pred chooses between two branches (true first); an s32 index outside the branches chooses the last.
Result<Literal> conditional(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  const auto branches = instruction.calledComputations();
  EVAL_REQUIRE(!branches.empty() && operands.size() == branches.size() + 1,
               "needs one operand and one computation a branch");
  const Literal& chooser = operands[0];
  EVAL_REQUIRE(chooser.shape().isScalar() && holdsIntegers(chooser), "needs a scalar to choose by");
  const auto last = static_cast<int64_t>(branches.size()) - 1;
  int64_t branch = integerAt(chooser, 0);
  if (chooser.shape().elementType() == ElementType::Pred) {
    EVAL_REQUIRE(branches.size() == 2, "a pred chooses between two branches");
    branch = branch != 0 ? 0 : 1;
  } else if (branch < 0 || branch > last) {
    branch = last;
  }
  std::vector<Literal> argument;
  argument.push_back(std::move(operands[static_cast<size_t>(branch) + 1]));
  for (Literal& other : operands) other = Literal();
  return context.call(*branches[static_cast<size_t>(branch)], std::move(argument));
}

Result<Literal> whileLoop(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Computation* condition = instruction.get<Attr::Condition>();
  const Computation* body = instruction.get<Attr::Body>();
  EVAL_REQUIRE(condition != nullptr && body != nullptr && operands.size() == 1,
               "needs condition, body and one operand");
  Literal state = std::move(operands[0]);
  for (int64_t iteration = 0;; ++iteration) {
    TRY(const Literal goOn, context.call(*condition, {state}));
    TRY(const bool again, predOf(instruction, goOn));
    if (!again) return state;
    if (iteration >= context.options().maxLoopIterations) {
      return fail("step-limit",
                  fmt::format("the loop ran over {} times", context.options().maxLoopIterations),
                  placeOf(instruction));
    }
    std::vector<Literal> argument;
    argument.push_back(std::move(state));
    TRY(state, context.call(*body, std::move(argument)));
  }
}

}  // namespace hilo::eval
