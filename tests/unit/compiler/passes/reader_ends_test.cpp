// Readers of one array that need not be looked at in pairs.
#include "core/compiler/passes/fusion/reader_ends.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Layers of `width` sums of the one before and the shared p, named l{layer}_{n}.
std::unique_ptr<Module> layers(int count, int width) {
  std::string text = "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  x0 = f32[8] negate(p)\n";
  for (int layer = 0; layer < count; ++layer) {
    for (int n = 0; n < width; ++n) {
      text += fmt::format("  l{0}_{1} = f32[8] add(x{0}, p)\n", layer, n);
    }
    text += fmt::format("  x{} = f32[8] maximum(l{}_0, l{}_{})\n", layer + 1, layer, layer, width - 1);
  }
  text += fmt::format("  ROOT r = f32[8] negate(x{})\n}}\n", count);
  return std::move(*parseModuleStrictly(text));
}

std::vector<const Instruction*> sums(const Module& module) {
  std::vector<const Instruction*> found;
  for (const Instruction* i : module.entry()->instructions()) {
    if (i->opcode() == Opcode::Add) found.push_back(i);
  }
  return found;
}

TEST(ReaderEnds, InAChainEachIsFreeOfNone) {
  const auto module = layers(40, 1);
  KernelOrder order(*module->entry());
  const std::vector<size_t> ends = readerEnds(sums(*module), order);
  ASSERT_EQ(ends.size(), 40u);
  for (size_t place = 0; place < ends.size(); ++place) EXPECT_EQ(ends[place], place + 1);
}

TEST(ReaderEnds, InLayersOfTwoTheFirstIsFreeOfTheSecond) {
  const auto module = layers(20, 2);
  KernelOrder order(*module->entry());
  const std::vector<size_t> ends = readerEnds(sums(*module), order);
  for (size_t place = 0; place < ends.size(); ++place) EXPECT_EQ(ends[place], place / 2 * 2 + 2);
}

TEST(ReaderEnds, OfFewReadersAndOfThoseThatStandApartNothingIsKnown) {
  const auto few = layers(5, 1), wide = layers(1, 200);
  KernelOrder ofFew(*few->entry()), ofWide(*wide->entry());
  EXPECT_THAT(readerEnds(sums(*few), ofFew), testing::Each(5u));
  EXPECT_THAT(readerEnds(sums(*wide), ofWide), testing::Each(200u));
}

// Whatever is told holds: from there on all lie behind.
TEST(ReaderEnds, AllFromTheEndOnLieBehind) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::string text = "HloModule m\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
    for (int i = 1; i < 120; ++i) {
      const int near = std::uniform_int_distribution<int>(std::max(0, i - 6), i - 1)(random);
      text += fmt::format("  v{} = f32[8] add(v{}, v0)\n", i, near);
    }
    const auto module = *parseModuleStrictly(text + "  ROOT r = f32[8] negate(v119)\n}\n");
    KernelOrder order(*module->entry());
    const auto readers = sums(*module);
    const std::vector<size_t> ends = readerEnds(readers, order);
    for (size_t place = 0; place < readers.size(); ++place) {
      ASSERT_GT(ends[place], place);
      for (size_t later = ends[place]; later < readers.size(); ++later)
        EXPECT_TRUE(order.reaches(*readers[place], *readers[later], true)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace hilo
