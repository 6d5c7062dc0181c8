// How exact sums of f32 are: long lines, columns and whole arrays against sums in f64, with terms of either
// sign and of very different size. The bound is the one docs/cpu_engine.md states.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/hlo/text/parse.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

struct Sums {
  std::vector<double> exact, magnitudes;
};

Sums sumsOf(std::span<const float> x, int64_t rows, int64_t columns, bool overRows, bool overColumns) {
  const auto place = [&](int64_t row, int64_t column) {
    return static_cast<size_t>((overRows ? 0 : row) * (overColumns ? 1 : columns) +
                               (overColumns ? 0 : column));
  };
  const auto count = static_cast<size_t>((overRows ? 1 : rows) * (overColumns ? 1 : columns));
  Sums sums{std::vector<double>(count), std::vector<double>(count)};
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double term = static_cast<double>(x[static_cast<size_t>(row * columns + column)]);
      sums.exact[place(row, column)] += term;
      sums.magnitudes[place(row, column)] += std::abs(term);
    }
  }
  return sums;
}

void expectWithinBound(int64_t rows, int64_t columns, std::string_view dimensions, std::string_view negated) {
  SCOPED_TRACE(fmt::format("[{},{}] over {}", rows, columns, dimensions));
  const bool overRows = dimensions.find('0') != std::string_view::npos,
             overColumns = dimensions.find('1') != std::string_view::npos;
  const Sums shape =
      sumsOf(std::vector<float>(static_cast<size_t>(rows * columns)), rows, columns, overRows, overColumns);
  const size_t count = shape.exact.size();
  auto parsed = parseModuleStrictly(fmt::format(
      "HloModule m\nadd {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}}\n"
      "ENTRY e {{\n x = f32[{0},{1}] parameter(0)\n n = f32[{0},{1}] negate(x)\n zero = f32[] constant(0)\n"
      "ROOT y = f32[{2}] reduce({3}, zero), dimensions={{{4}}}, to_apply=add\n}}\n",
      rows, columns, overRows && overColumns ? "" : fmt::format("{}", count), negated, dimensions));
  ASSERT_TRUE(parsed.has_value()) << toString(parsed.error());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  Literal argument(module->entry()->parameters()[0]->shape());
  std::span<float> x(reinterpret_cast<float*>(argument.mutableBytes().data()),
                     static_cast<size_t>(rows * columns));
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (float& term : x) term = normal(random) * std::exp2(normal(random) * 8);
  const Sums sums = sumsOf(x, rows, columns, overRows, overColumns);
  for (const bool passes : {false, true}) {
    const auto got = runOnCpu(module, {&argument, 1}, {.usesCache = false, .runsPasses = passes});
    ASSERT_TRUE(got.has_value()) << toString(got.error());
    const auto* values = reinterpret_cast<const float*>(got->bytes().data());
    for (size_t i = 0; i < count; ++i) {
      const double exact = negated == "n" ? -sums.exact[i] : sums.exact[i];
      // A whole array may be summed in two steps, the partial sums rounded between.
      const double roundings = overRows && overColumns ? 7 : 3;
      const double bound = roundings * 0x1p-24 * sums.magnitudes[i] + 0x1p-24 * std::abs(exact);
      EXPECT_LE(std::abs(static_cast<double>(values[i]) - exact), bound) << "sum " << i;
    }
  }
}

TEST(CpuSums, StayWithinTheBoundHoweverManyTerms) {
  for (const std::string_view negated : {"x", "n"}) {
    for (const auto& [rows, columns] : std::initializer_list<std::pair<int64_t, int64_t>>{{3, 31},
                                                                                          {3, 33},
                                                                                          {5, 64},
                                                                                          {4, 100},
                                                                                          {3, 1000},
                                                                                          {2, 1025},
                                                                                          {2, 50257},
                                                                                          {1000, 33},
                                                                                          {1003, 200},
                                                                                          {20, 5000},
                                                                                          {263, 1100}}) {
      expectWithinBound(rows, columns, "1", negated);
      expectWithinBound(rows, columns, "0", negated);
      expectWithinBound(rows, columns, "0,1", negated);
    }
  }
}

}  // namespace
}  // namespace hilo
