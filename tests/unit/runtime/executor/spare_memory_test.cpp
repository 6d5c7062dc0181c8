// Memory of results that is handed out again: what comes back and what is kept, results that outlive whoever
// made them, several threads at once, and no run that sees another's values.
#include "core/runtime/executor/spare_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/runtime/executor/executor.h"
#include "tests/unit/runtime/executor/hand_written.h"

namespace hilo {
namespace {

Shape thousandBytes() { return Shape::array(ElementType::U8, {1000}); }

std::vector<Literal> literalsOf(SpareMemory& spare, Shape shape, size_t count) {
  auto made = spare.literals(shape, count);
  EXPECT_TRUE(made.has_value());
  return *std::move(made);
}

TEST(SpareMemory, GivesWhatCameBackAsItIs) {
  const auto spare = std::make_shared<SpareMemory>(0);
  const std::vector elements = {thousandBytes(), Shape::token(), thousandBytes()};
  std::vector<Literal> made = literalsOf(*spare, Shape::tuple(elements), 1);
  std::vector<const std::byte*> places;
  for (Literal* leaf : mutableArrayLeaves(made[0])) {
    places.push_back(leaf->mutableBytes().data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(places.back()) % 64, 0u);
    std::ranges::fill(leaf->mutableBytes(), std::byte{7});
  }
  Literal shared = made[0];
  made.clear();
  EXPECT_EQ(spare->keptBytes(), 0);  // somebody holds it still
  shared = Literal();
  EXPECT_EQ(spare->keptBytes(), 2000);
  made = literalsOf(*spare, thousandBytes(), 2);
  EXPECT_EQ(spare->keptBytes(), 0);
  for (const Literal& literal : made) {
    EXPECT_NE(std::ranges::find(places, literal.bytes().data()), places.end());
    EXPECT_EQ(std::ranges::count(literal.bytes(), std::byte{7}), 1000);
  }
}

TEST(SpareMemory, KeepsNoMoreThanOneRunTakes) {
  const auto spare = std::make_shared<SpareMemory>(0);
  std::vector<std::vector<Literal>> runs;
  for (int run = 0; run < 5; ++run) runs.push_back(literalsOf(*spare, thousandBytes(), 2));
  runs.clear();
  EXPECT_EQ(spare->keptBytes(), 2000);
}

TEST(SpareMemory, MayBeOutlived) {
  auto spare = std::make_shared<SpareMemory>(0);
  std::vector<Literal> made = literalsOf(*spare, thousandBytes(), 1);
  spare.reset();
  std::ranges::fill(made[0].mutableBytes(), std::byte{3});
  EXPECT_EQ(made[0].bytes()[999], std::byte{3});
}

// result = argument; written where the result lies, but for what is beyond its `written` first elements.
std::unique_ptr<Executor> copier(int64_t n, int64_t written) {
  Program program = emptyProgram(n, n);
  program.allocations[0].sizeBytes = 4 * n;
  program.sequences[0] = {{"copy", 0, 0, CopyThunk{argument(written), writeTemporary(0, written)}}};
  if (written < n) {
    const int64_t bounds[] = {n};
    const bool isDynamic[] = {true};
    program.result = Shape::dynamicArray(ElementType::S32, bounds, isDynamic);
    program.allocations.push_back({AllocationKind::Constant, 4, 0});
    program.constants.emplace_back(std::vector{std::byte(written), std::byte{}, std::byte{}, std::byte{}});
    program.resultSizes = {{0, 0, ReadSlice({3, 0, 4})}};
  }
  auto executor = Executor::make(std::make_shared<const Program>(std::move(program)));
  EXPECT_TRUE(executor.has_value()) << (executor ? "" : toString(executor.error()));
  return *std::move(executor);
}

Literal filled(int64_t n, int32_t value) {
  Literal literal(Shape::array(ElementType::S32, {n}));
  std::ranges::fill(literal.mutableData<int32_t>(), value);
  return literal;
}

TEST(SpareMemory, ResultsOfRunsSideBySideKeepTheirValues) {
  constexpr int64_t kElements = 4000;
  const auto executor = copier(kElements, kElements);
  const auto work = [&](int32_t first) {
    Literal before;
    for (int32_t i = first; i < first + 300; ++i) {
      const Literal given = filled(kElements, i);
      const auto result = executor->run({&given, 1});
      ASSERT_TRUE(result.has_value()) << toString(result.error());
      ASSERT_TRUE(*result == given);
      if (i > first) ASSERT_TRUE(before == filled(kElements, i - 1));
      before = *result;
    }
  };
  std::vector<std::jthread> threads;
  for (const int32_t first : {0, 1000, 2000, 3000}) threads.emplace_back(work, first);
}

TEST(SpareMemory, ResultsOutliveTheirProgram) {
  auto executor = copier(100, 100);
  const Literal given = filled(100, 5);
  Literal result = *executor->run({&given, 1});
  const Literal other = *executor->run({&given, 1});
  executor.reset();
  result.mutableData<int32_t>()[0] = 6;
  EXPECT_TRUE(other == given);
}

// What a program does not write of an array smaller than its bounds is zero, whatever was there before.
TEST(SpareMemory, WhatIsBeyondRealSizesIsClear) {
  const auto executor = copier(100, 60);
  const Literal given = filled(100, 5);
  for (int run = 0; run < 3; ++run) {
    auto result = executor->run({&given, 1});
    ASSERT_TRUE(result.has_value()) << toString(result.error());
    const auto values = result->mutableData<int32_t>();
    EXPECT_EQ(std::ranges::count(values.first(60), 5), 60);
    EXPECT_EQ(std::ranges::count(values.last(40), 0), 40);
    std::ranges::fill(values, 9);
  }
}

}  // namespace
}  // namespace hilo
