// Every f16 and bf16 value to narrow floats, and those back: the evaluator gives the nearest value there is,
// ties to the even pattern, by a search through all of them; the cpu engine gives the evaluator's bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/base/float_formats.h"
#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

struct Narrow {
  const char* type;
  int exponentBits, mantissaBits, bias;
  bool hasInfinity;
  int topPattern;  // of the largest finite number
  int overflow;    // the pattern beyond it
  int nan;         // of a positive NaN
  int negativeNan;
};
// A NaN becomes f4e2m1fn's zero of the other sign.
constexpr Narrow kNarrow[] = {{"f4e2m1fn", 2, 1, 1, false, 0x7, 0x7, 0x8, 0x0},
                              {"f8e4m3fn", 4, 3, 7, false, 0x7e, 0x7f, 0x7f, 0xff},
                              {"f8e5m2", 5, 2, 15, true, 0x7b, 0x7c, 0x7e, 0xfe}};

double valueOf(const Narrow& t, int pattern) {
  const int field = pattern >> t.mantissaBits, fraction = pattern & ((1 << t.mantissaBits) - 1);
  const double ones = std::ldexp(fraction, -t.mantissaBits);
  return field == 0 ? std::ldexp(ones, 1 - t.bias) : std::ldexp(1 + ones, field - t.bias);
}

int expectedPattern(const Narrow& t, double value) {
  const int sign = std::signbit(value) ? 1 << (t.exponentBits + t.mantissaBits) : 0;
  if (std::isnan(value)) return sign != 0 ? t.negativeNan : t.nan;
  const double size = std::abs(value), top = valueOf(t, t.topPattern);
  // Half a step past the largest is a tie with what would come next, whose pattern is even or not.
  const double step = top - valueOf(t, t.topPattern - 1), half = top + step / 2;
  if (size > half || (size == half && t.topPattern % 2 == 1)) return sign | t.overflow;
  int best = 0;
  for (int pattern = 1; pattern <= t.topPattern; ++pattern) {
    const double to = std::abs(valueOf(t, pattern) - size), from = std::abs(valueOf(t, best) - size);
    if (to < from || (to == from && pattern % 2 == 0)) best = pattern;
  }
  return sign | best;
}

Literal everyPattern(ElementType type) {
  Literal all(Shape::array(type, {65536}));
  for (int i = 0; i < 65536; ++i)
    std::memcpy(all.mutableBytes().data() + 2 * i, std::array{static_cast<uint16_t>(i)}.data(), 2);
  return all;
}

std::shared_ptr<Module> conversion(std::string_view from, std::string_view to, int count) {
  return moduleOf(fmt::format("ENTRY e {{ a = {0}[{2}] parameter(0)\n  ROOT r = {1}[{2}] convert(a) }}", from,
                              to, count));
}

void expectSameOnCpu(const std::shared_ptr<Module>& module, const Literal& argument,
                     const Literal& expected) {
  const auto got = runOnCpu(module, std::vector{argument}, {.usesCache = false});
  ASSERT_TRUE(got.has_value()) << toString(got.error());
  EXPECT_TRUE(std::ranges::equal(got->bytes(), expected.bytes()));
}

template <typename From>
void expectNearest(const char* fromName, ElementType from) {
  const Literal all = everyPattern(from);
  for (const Narrow& to : kNarrow) {
    SCOPED_TRACE(fmt::format("{} to {}", fromName, to.type));
    const auto module = conversion(fromName, to.type, 65536);
    const auto given = evaluate(*module, std::vector{all});
    ASSERT_TRUE(given.has_value());
    for (int i = 0; i < 65536; ++i) {
      const auto value = static_cast<double>(From::fromBits(static_cast<uint16_t>(i)));
      ASSERT_EQ(std::to_integer<int>(given->bytes()[static_cast<size_t>(i)]), expectedPattern(to, value))
          << value;
    }
    expectSameOnCpu(module, all, *given);
  }
}

TEST(ExhaustiveConversions, OfF16) { expectNearest<F16>("f16", ElementType::F16); }
TEST(ExhaustiveConversions, OfBf16) { expectNearest<BF16>("bf16", ElementType::BF16); }

TEST(ExhaustiveConversions, OfEveryNarrowValueBack) {
  for (const Narrow& from : kNarrow) {
    const int patterns = 2 << (from.exponentBits + from.mantissaBits);
    Literal all(Shape::array(*elementTypeFromName(from.type), {patterns}));
    for (int i = 0; i < patterns; ++i) all.mutableBytes()[static_cast<size_t>(i)] = static_cast<std::byte>(i);
    const auto module = conversion(from.type, "f32", patterns);
    const auto given = evaluate(*module, std::vector{all});
    ASSERT_TRUE(given.has_value());
    for (int i = 0; i <= from.topPattern; ++i) {
      EXPECT_EQ(given->data<float>()[static_cast<size_t>(i)], static_cast<float>(valueOf(from, i)));
      EXPECT_EQ(given->data<float>()[static_cast<size_t>(i + patterns / 2)],
                -static_cast<float>(valueOf(from, i)));
    }
    expectSameOnCpu(module, all, *given);
  }
}

// f8e8m0fnu is 2^(pattern - 127); 255 is NaN.
TEST(ExhaustiveConversions, ScalesDecodeAndRound) {
  Literal all(Shape::array(ElementType::F8E8M0FNU, {256}));
  for (int i = 0; i < 256; ++i) all.mutableBytes()[static_cast<size_t>(i)] = static_cast<std::byte>(i);
  const auto decode = conversion("f8e8m0fnu", "f32", 256);
  const auto values = evaluate(*decode, std::vector{all});
  ASSERT_TRUE(values.has_value());
  for (int i = 0; i < 255; ++i)
    EXPECT_EQ(values->data<float>()[static_cast<size_t>(i)], static_cast<float>(std::ldexp(1.0, i - 127)));
  EXPECT_TRUE(std::isnan(values->data<float>()[255]));
  expectSameOnCpu(decode, all, *values);

  // What is not above zero, and from 1.5 * 2^127 on, is NaN; ties go up, what is below the least becomes it.
  const float nan = std::nanf(""), inf = INFINITY;
  const std::vector<std::pair<float, int>> cases = {{0.0f, 255},       {-0.0f, 255},
                                                    {-1.0f, 255},      {nan, 255},
                                                    {inf, 255},        {-inf, 255},
                                                    {1.0f, 127},       {0x1.8p1f, 129},
                                                    {0x1.8p2f, 130},   {0x1.7ffffep1f, 128},
                                                    {0x1p127f, 254},   {0x1.7ffffep127f, 254},
                                                    {0x1.8p127f, 255}, {0x1.fffffep127f, 255},
                                                    {0x1p-126f, 1},    {0x0.800002p-126f, 1},
                                                    {0x1p-127f, 0},    {0x1p-149f, 0}};
  Literal given(Shape::array(ElementType::F32, {static_cast<int64_t>(cases.size())}));
  for (size_t i = 0; i < cases.size(); ++i) given.mutableData<float>()[i] = cases[i].first;
  const auto encode = conversion("f32", "f8e8m0fnu", static_cast<int>(cases.size()));
  const auto scales = evaluate(*encode, std::vector{given});
  ASSERT_TRUE(scales.has_value());
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(std::to_integer<int>(scales->bytes()[i]), cases[i].second) << cases[i].first;
  expectSameOnCpu(encode, given, *scales);
}

}  // namespace
}  // namespace hilo
