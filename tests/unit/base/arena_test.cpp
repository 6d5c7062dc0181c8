#include "core/base/arena.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(Arena, CopiesStayApartAndAligned) {
  Arena arena;
  const std::string_view text = arena.copy(std::string_view("abc"));
  const std::vector<int64_t> numbers = {1, 2, 3};
  const auto copied = arena.copy(numbers);
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(copied.size(), 3u);
  EXPECT_EQ(copied[2], 3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copied.data()) % alignof(int64_t), 0u);
}

TEST(Arena, ALargeRequestDoesNotEndTheCurrentBlock) {
  Arena arena;
  const char* first = arena.copy(std::string_view("a")).data();
  arena.allocateArray<char>(1 << 20);
  const char* second = arena.copy(std::string_view("b")).data();
  EXPECT_EQ(second, first + 1);
}

TEST(Arena, BlocksGrowAndKeepWhatIsInThem) {
  Arena arena;
  std::vector<std::span<const int64_t>> kept;
  // Twenty megabytes in pieces of a kilobyte: blocks of every size, those of a huge page too.
  for (int64_t i = 0; i < 20'000; ++i) kept.push_back(arena.copy(std::vector<int64_t>(128, i)));
  for (int64_t i = 0; i < 20'000; ++i) {
    EXPECT_EQ(kept[i].front(), i);
    EXPECT_EQ(kept[i].back(), i);
  }
  EXPECT_GE(arena.bytesReserved(), 20'000u * 1024);
  EXPECT_LT(arena.bytesReserved(), 24'000u * 1024);
}

TEST(Arena, ASmallArenaStaysSmall) {
  Arena arena;
  for (int i = 0; i < 100; ++i) arena.allocateArray<char>(1'000);
  EXPECT_LE(arena.bytesReserved(), 128u * 1024);
}

}  // namespace
}  // namespace hilo
