// Random numbers of freshly compiled modules: not all zero from the first call on, the evaluator's, and one
// module's state is not another's.
#include <gtest/gtest.h>

#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

std::shared_ptr<Module> uniform(int count) {
  return moduleOf(
      fmt::format("ENTRY e {{ a = f32[] constant(0)\n  b = f32[] constant(1)\n"
                  "  ROOT r = f32[{}] rng(a, b), distribution=rng_uniform }}",
                  count));
}

TEST(RandomStates, TheFirstNumbersAreNoZeros) {
  const auto first = runOnCpu(uniform(64), {}, {.usesCache = false});
  ASSERT_TRUE(first.has_value()) << toString(first.error());
  const auto numbers = first->data<float>();
  EXPECT_GT(numbers[0], 0);
  EXPECT_GT(*std::ranges::max_element(numbers) - *std::ranges::min_element(numbers), 0.5f);
  const auto expected = evaluate(*uniform(64), {});
  ASSERT_TRUE(expected.has_value());
  EXPECT_TRUE(*first == *expected);
}

TEST(RandomStates, TwoModulesDoNotShareOne) {
  const auto alone = runOnCpu(uniform(32), {}, {.usesCache = false});
  const auto other = runOnCpu(uniform(48), {}, {.usesCache = false});
  const auto again = runOnCpu(uniform(32), {}, {.usesCache = false});
  ASSERT_TRUE(alone.has_value() && other.has_value() && again.has_value());
  EXPECT_TRUE(*alone == *again);
}

// The generator's state is read and moved on within one run.
TEST(RandomStates, TwoDrawsOfOneModuleDiffer) {
  const auto module = moduleOf(R"(ENTRY e { a = u64[2] rng-get-and-update-state(), delta=5
  b = u64[2] rng-get-and-update-state(), delta=5, control-predecessors={a}
  ROOT t = (u64[2], u64[2]) tuple(a, b) })");
  const auto got = runOnCpu(module, {}, {.usesCache = false});
  ASSERT_TRUE(got.has_value()) << toString(got.error());
  const auto first = got->elements()[0].data<uint64_t>(), second = got->elements()[1].data<uint64_t>();
  EXPECT_NE(first[0] | first[1], 0u);
  EXPECT_EQ(second[0] + second[1] - first[0] - first[1], 5u);
}

// The bits alone are those that come with the state.
TEST(RandomStates, BitsWithoutTheirState) {
  for (const char* form : {"u64[3]", "u64[2]"}) {
    for (const char* type : {"u32[3,5]", "f64[7]", "u8[2,2]{0,1}", "s4[9]", "u16[]"}) {
      SCOPED_TRACE(fmt::format("{} from {}", type, form));
      const auto module = moduleOf(fmt::format(R"(ENTRY e {{ s = {0} iota(), iota_dimension=0
  both = ({0}, {1}) rng-bit-generator(s), algorithm=rng_default
  b = {1} get-tuple-element(both), index=1
  a = {1} rng-bit-generator(s), algorithm=rng_default
  ROOT t = ({1}, {1}) tuple(a, b) }})",
                                               form, type));
      const auto expected = evaluate(*module, {});
      ASSERT_TRUE(expected.has_value()) << toString(expected.error());
      EXPECT_TRUE(std::ranges::equal(expected->elements()[0].bytes(), expected->elements()[1].bytes()));
      for (const bool passes : {false, true}) {
        const auto got = runOnCpu(module, {}, {.usesCache = false, .runsPasses = passes});
        ASSERT_TRUE(got.has_value()) << toString(got.error());
        EXPECT_TRUE(*got == *expected);
      }
    }
  }
}

}  // namespace
}  // namespace hilo
