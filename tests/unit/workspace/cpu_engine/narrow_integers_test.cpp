// Integers of fewer than 8 bits: every pair of values by every operation they have, in arrays of odd lengths.
#include <gtest/gtest.h>

#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

constexpr std::string_view kBinary[] = {"add",
                                        "subtract",
                                        "multiply",
                                        "divide",
                                        "remainder",
                                        "maximum",
                                        "minimum",
                                        "and",
                                        "or",
                                        "xor",
                                        "power",
                                        "shift-left",
                                        "shift-right-logical",
                                        "shift-right-arithmetic"};
constexpr std::string_view kUnary[] = {"negate", "not", "popcnt", "count-leading-zeros"};
constexpr std::string_view kOfSigned[] = {"abs", "sign"};

// Every value of the type against every other, and one more for an odd length.
std::pair<Literal, Literal> everyPair(ElementType type) {
  const int bits = elementBits(type), values = 1 << bits;
  Literal left(Shape::array(type, {values * values + 1})), right = left;
  for (int i = 0; i < values * values; ++i) {
    const auto stored = [&](int pattern) {
      const bool isNegative = isSigned(type) && pattern >= values / 2;
      return static_cast<std::byte>(isNegative ? pattern - values : pattern);
    };
    left.mutableBytes()[static_cast<size_t>(i)] = stored(i / values);
    right.mutableBytes()[static_cast<size_t>(i)] = stored(i % values);
  }
  return {left, right};
}

void expectSame(const std::string& text, const std::vector<Literal>& arguments) {
  const auto module = moduleOf(text);
  const auto expected = evaluate(*module, arguments);
  ASSERT_TRUE(expected.has_value()) << text << toString(expected.error());
  const auto got = runOnCpu(module, arguments, {.usesCache = false});
  ASSERT_TRUE(got.has_value()) << text << toString(got.error());
  EXPECT_TRUE(std::ranges::equal(got->bytes(), expected->bytes())) << text;
}

void tryAll(ElementType type) {
  const auto [left, right] = everyPair(type);
  const std::string name = fmt::format("{}[{}]", elementTypeName(type), left.shape().elementCount());
  for (const std::string_view opcode : kBinary) {
    expectSame(
        fmt::format("ENTRY e {{ a = {0} parameter(0)\n  b = {0} parameter(1)\n  ROOT r = {0} {1}(a, b) }}",
                    name, opcode),
        {left, right});
  }
  for (const std::string_view opcode : kUnary) {
    expectSame(fmt::format("ENTRY e {{ a = {0} parameter(0)\n  ROOT r = {0} {1}(a) }}", name, opcode),
               {left});
  }
  for (const std::string_view opcode : kOfSigned) {
    if (!isSigned(type)) break;
    expectSame(fmt::format("ENTRY e {{ a = {0} parameter(0)\n  ROOT r = {0} {1}(a) }}", name, opcode),
               {left});
  }
  for (const std::string_view to : {"f32", "s8", "pred"}) {
    expectSame(fmt::format("ENTRY e {{ a = {0} parameter(0)\n  ROOT r = {1}[{2}] convert(a) }}", name, to,
                           left.shape().elementCount()),
               {left});
  }
}

TEST(NarrowIntegers, OneBit) {
  tryAll(ElementType::S1);
  tryAll(ElementType::U1);
}
TEST(NarrowIntegers, TwoBits) {
  tryAll(ElementType::S2);
  tryAll(ElementType::U2);
}
TEST(NarrowIntegers, FourBits) {
  tryAll(ElementType::S4);
  tryAll(ElementType::U4);
}

// Packed in twos and fours where a layout says so: lengths that do not fill the last byte.
TEST(NarrowIntegers, PackedArraysOfOddLengths) {
  for (const int length : {1, 7, 33}) {
    Literal given(Shape::array(ElementType::S4, {length}));
    for (int i = 0; i < length; ++i)
      given.mutableBytes()[static_cast<size_t>(i)] = static_cast<std::byte>(i % 16 - 8);
    const std::string s4 = fmt::format("s4[{}]{{0:E(4)}}", length), s32 = fmt::format("s32[{}]{{0}}", length);
    const auto module = moduleOf(fmt::format(R"(ENTRY e {{ a = {0} parameter(0)
  twice = {0} add(a, a)
  wide = {1} convert(twice)
  back = {0} convert(wide)
  ROOT r = ({0}, {1}) tuple(back, wide) }})",
                                             s4, s32));
    const auto expected = evaluate(*module, std::vector{given}),
               got = runOnCpu(module, std::vector{given}, {.usesCache = false});
    ASSERT_TRUE(expected.has_value() && got.has_value());
    for (int i = 0; i < length; ++i) {
      // 2a wraps into [-8, 8).
      const int twice = ((2 * (i % 16 - 8) + 8) % 16 + 16) % 16 - 8;
      for (const Literal* each : {&*expected, &*got}) {
        EXPECT_EQ(each->elements()[0].data<int8_t>()[static_cast<size_t>(i)], twice);
        EXPECT_EQ(each->elements()[1].data<int32_t>()[static_cast<size_t>(i)], twice);
      }
    }
  }
}

}  // namespace
}  // namespace hilo
