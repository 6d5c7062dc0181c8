// Fusions of two products and what stands between them: the verifier's word, and the evaluator's.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

// Two products in a row of a chain of three: the middle one can belong to one fusion only.
constexpr const char* kThreeInARow = R"(ENTRY e {
  a = f32[2,256,16] parameter(0)
  b = f32[2,16,256] parameter(1)
  c = f32[2,256,256] parameter(2)
  first = f32[2,256,256] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  bent = f32[2,256,256] tanh(first)
  second = f32[2,256,256] dot(bent, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  turned = f32[2,256,256] negate(second)
  ROOT third = f32[2,256,256] dot(turned, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
})";

TEST(DotChains, EachProductIsInOneFusionAndTheAnswerStays) {
  const std::shared_ptr<const Module> before = moduleOf(kThreeInARow);
  ASSERT_NE(before, nullptr);
  const Pass* pass = findPass("dot-chain-fusion");
  ASSERT_NE(pass, nullptr);
  const PassRun run = runPasses(before, {pass}, {});
  ASSERT_TRUE(run.completed()) << toString(run.steps.back().problems[0]);
  size_t fusions = 0, products = 0;
  for (const Instruction* i : run.output()->entry()->instructions()) {
    fusions += i->opcode() == Opcode::Fusion;
    products += i->opcode() == Opcode::Dot;
  }
  EXPECT_EQ(fusions, 1U);
  EXPECT_EQ(products, 1U);
  const auto arguments = makeArguments(*before, 1);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*before, arguments->arguments);
  const auto actual = evaluate(*run.output(), arguments->arguments);
  ASSERT_TRUE(expected.has_value() && actual.has_value());
  EXPECT_EQ(*expected, *actual);
}

}  // namespace
}  // namespace hilo
