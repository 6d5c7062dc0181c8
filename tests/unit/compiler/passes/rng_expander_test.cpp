// What the random numbers that rng-expander writes out are like: the bits are Philox's, so the numbers are
// the same on every machine, and their least, greatest, mean and spread are of the distribution asked for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr int kCount = 4000;

std::vector<double> drawn(std::string_view type, std::string_view distribution, int a, int b) {
  const std::string text = fmt::format(
      "HloModule m\nENTRY e {{\n  a = {0}[] constant({2})\n  b = {0}[] constant({3})\n"
      "  ROOT r = {0}[{4}] rng(a, b), distribution=rng_{1}\n}}\n",
      type, distribution, a, b, kCount);
  auto parsed = parseModuleStrictly(text, {});
  EXPECT_TRUE(parsed.has_value()) << toString(parsed.error());
  const PassRun run =
      runPasses(*std::move(parsed), *parsePassList("rng-expander,rng-bit-generator-expander"), {});
  EXPECT_TRUE(run.completed());
  const auto result = evaluate(*run.output(), {});
  EXPECT_TRUE(result.has_value()) << toString(result.error());
  return elementsAs<double>(*result, ElementType::F64);
}

double meanOf(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

TEST(RngExpander, UniformFloatsLieInTheirRange) {
  for (const std::string_view type : {"f32", "f64", "bf16"}) {
    const std::vector<double> numbers = drawn(type, "uniform", 2, 6);
    EXPECT_GE(std::ranges::min(numbers), 2) << type;
    EXPECT_LE(std::ranges::max(numbers), 6) << type;
    EXPECT_LT(std::ranges::min(numbers), 2.05) << type;
    EXPECT_GT(std::ranges::max(numbers), 5.95) << type;
    EXPECT_NEAR(meanOf(numbers), 4, 0.1) << type;
  }
}

TEST(RngExpander, UniformIntegersAreEachAsLikely) {
  for (const std::string_view type : {"s32", "u64", "s64"}) {
    const std::vector<double> numbers = drawn(type, "uniform", 3, 8);
    for (int n = 3; n < 8; ++n)
      EXPECT_NEAR(static_cast<double>(std::ranges::count(numbers, n)), kCount / 5.0, 100) << type << " " << n;
  }
}

TEST(RngExpander, NegativeIntegersAreDrawn) {
  const std::vector<double> numbers = drawn("s32", "uniform", -4, 3);
  EXPECT_EQ(std::ranges::min(numbers), -4);
  EXPECT_EQ(std::ranges::max(numbers), 2);
}

TEST(RngExpander, NormalNumbersHaveTheirMeanAndDeviation) {
  for (const std::string_view type : {"f32", "f64", "f16"}) {
    const std::vector<double> numbers = drawn(type, "normal", 5, 2);
    const double mean = meanOf(numbers);
    double squares = 0;
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    EXPECT_NEAR(mean, 5, 0.15) << type;
    EXPECT_NEAR(std::sqrt(squares / kCount), 2, 0.1) << type;
    const auto within = std::ranges::count_if(numbers, [&](double x) { return std::abs(x - 5) < 2; });
    EXPECT_NEAR(static_cast<double>(within) / kCount, 0.683, 0.03) << type;
  }
}

}  // namespace
}  // namespace hilo
