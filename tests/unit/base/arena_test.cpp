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

}  // namespace
}  // namespace hilo
