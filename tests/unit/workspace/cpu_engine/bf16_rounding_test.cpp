// What is rounded to bf16 many at once, by an instruction of the processor that takes the least numbers for
// zero and keeps what a NaN carries: the evaluator's bits all the same, wherever such a number stands among
// others; and the same where a program may not use that instruction.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/hlo/eval/evaluate.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

Literal rowsOf64(const std::vector<uint32_t>& bits) {
  Literal made(Shape::array(ElementType::F32, {static_cast<int64_t>(bits.size()) / 64, 64}));
  std::memcpy(made.mutableBytes().data(), bits.data(), bits.size() * 4);
  return made;
}

void expectSame(const std::shared_ptr<Module>& module, const Literal& x) {
  const auto expected = evaluate(*module, std::vector{x});
  ASSERT_TRUE(expected.has_value());
  for (const char* cpu : {"", "x86-64-v3"}) {
    const auto got = runOnCpu(module, std::vector{x}, {.processor = cpu, .usesCache = false});
    ASSERT_TRUE(got.has_value()) << toString(got.error());
    EXPECT_TRUE(std::ranges::equal(got->bytes(), expected->bytes())) << cpu;
  }
}

std::string conversionOf(const Literal& x) {
  const int64_t rows = x.shape().dimension(0);
  return fmt::format("ENTRY e {{ x = f32[{0},64] parameter(0)\n ROOT y = bf16[{0},64] convert(x) }}", rows);
}

// Each bf16, with what is cut off nothing, little, half, just under it and over it, and all.
std::vector<uint32_t> aroundEachBf16() {
  std::vector<uint32_t> bits;
  for (uint32_t high = 0; high < 65536; ++high) {
    for (const uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) bits.push_back(high << 16 | low);
  }
  return bits;
}

TEST(Bf16Rounding, AroundEachNumber) {
  const Literal x = rowsOf64(aroundEachBf16());
  expectSame(moduleOf(conversionOf(x)), x);
}

TEST(Bf16Rounding, EveryFewThousandthFloat) {
  std::vector<uint32_t> bits;
  for (uint64_t at = 0; at < uint64_t{1} << 32; at += 4093) bits.push_back(static_cast<uint32_t>(at));
  bits.resize(bits.size() / 64 * 64);
  const Literal x = rowsOf64(bits);
  expectSame(moduleOf(conversionOf(x)), x);
}

// One at each place of 64 others.
std::vector<uint32_t> oneAmongOthers() {
  std::vector<uint32_t> bits;
  for (const uint32_t odd : {0u, 0x80000000u, 1u, 0x807fffffu, 0x00008000u, 0x7f7fffffu, 0x7f800000u,
                             0xff800000u, 0x7f800001u, 0xffc12345u}) {
    for (uint32_t place = 0; place < 64; ++place) {
      for (uint32_t i = 0; i < 64; ++i)
        bits.push_back(i == place ? odd : std::bit_cast<uint32_t>(1.0f + static_cast<float>(i) / 1000));
    }
  }
  return bits;
}

TEST(Bf16Rounding, OneNumberAmongOthers) {
  const Literal x = rowsOf64(oneAmongOthers());
  expectSame(moduleOf(conversionOf(x)), x);
}

// Rows of which a reduction is needed first, of 64 and of more than that.
TEST(Bf16Rounding, OfRowsInStages) {
  const Literal x = rowsOf64(oneAmongOthers());
  const int64_t all = x.shape().elementCount();
  for (const int64_t columns : {64, 80, 128}) {
    SCOPED_TRACE(columns);
    const auto module = moduleOf(fmt::format(R"(
max {{ a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b) }}
ENTRY e {{ given = f32[{2},64] parameter(0)
  x = f32[{0},{1}] reshape(given)
  low = f32[] constant(-inf)
  top = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=max
  tops = f32[{0},{1}] broadcast(top), dimensions={{0}}
  isBelow = pred[{0},{1}] compare(x, tops), direction=LT
  negative = f32[{0},{1}] negate(x)
  y = f32[{0},{1}] select(isBelow, x, negative)
  ROOT r = bf16[{0},{1}] convert(y) }})",
                                             all / columns, columns, all / 64));
    expectSame(module, x);
  }
}

}  // namespace
}  // namespace hilo
