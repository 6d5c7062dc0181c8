#include <set>

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// Known answers of the Random123 library for key 0 and counter 0.
TEST(EvalRandom, ThreeFryKnownAnswer) {
  const std::string p = "s = u64[2] constant({0,0})\n";
  expectEval(p + "ROOT r = (u64[2], u64[1]) rng-bit-generator(s), algorithm=rng_three_fry", {},
             {"u64[2] {0,1}", "u64[1] {11077253088097075545}"});
  // Both words of the first counter, side by side.
  expectEval(p + "ROOT r = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_three_fry", {},
             {"u64[2] {0,1}", "u32[2] {1797259609,2579123966}"});
  expectEval(p + "ROOT r = (u64[2], u8[2]) rng-bit-generator(s), algorithm=rng_three_fry", {},
             {"u64[2] {0,1}", "u8[2] {89,254}"});
  // An odd dimension takes the second word of its last counter not at all.
  expectEval(p + "ROOT r = (u64[2], u32[1]) rng-bit-generator(s), algorithm=rng_three_fry", {},
             {"u64[2] {0,1}", "u32[1] {1797259609}"});
}

TEST(EvalRandom, PhiloxKnownAnswer) {
  expectEval(
      "s = u64[3] constant({0,0,0})\nROOT r = (u64[3], u32[5]) rng-bit-generator(s), algorithm=rng_philox\n",
      {}, {"u64[3] {0,2,0}", "u32[5] {1713891541,3781805453,3159862348,2600524760,4175744164}"});
}

TEST(EvalRandom, SameSeedSameNumbers) {
  const std::string body =
      "a = f32[] constant(2)\nb = f32[] constant(3)\nROOT r = f32[100] rng(a, b), distribution=rng_uniform";
  const auto first = evalText(body, {}, {.seed = 7}), again = evalText(body, {}, {.seed = 7}),
             other = evalText(body, {}, {.seed = 8});
  ASSERT_TRUE(first && again && other);
  EXPECT_TRUE(*first == *again);
  EXPECT_FALSE(*first == *other);
  for (const float value : first->data<float>()) EXPECT_TRUE(value >= 2 && value < 3) << value;
}

TEST(EvalRandom, UniformIntegersStayInTheInterval) {
  const auto result = evalText(
      "a = s8[] constant(-2)\nb = s8[] constant(2)\nROOT r = s8[200] rng(a, b), distribution=rng_uniform");
  ASSERT_TRUE(result.has_value());
  std::set<int> seen(result->data<int8_t>().begin(), result->data<int8_t>().end());
  EXPECT_EQ(seen, (std::set<int>{-2, -1, 0, 1}));
}

TEST(EvalRandom, StateAdvancesByDelta) {
  const auto result = evalText(
      "a = u64[2] rng-get-and-update-state(), delta=5\nb = u64[2] rng-get-and-update-state(), delta=5\n"
      "ROOT r = u64[2] subtract(b, a)");
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(*result == literalOf("u64[2] {5,0}"));
}

}  // namespace
}  // namespace hilo
