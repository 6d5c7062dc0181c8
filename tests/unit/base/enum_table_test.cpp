#include "core/base/enum_table.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

enum class Colour : uint8_t { Red, Green5, Blue };
enum class One { Only };

struct Outer {
  enum class Inner : int8_t { A, B, C, D };
};

TEST(EnumTable, CountsTheValuesOfAnEnum) {
  EXPECT_EQ(enumCount<Colour>(), 3u);
  EXPECT_EQ(enumCount<One>(), 1u);
  EXPECT_EQ(enumCount<Outer::Inner>(), 4u);
}

TEST(EnumTable, GivesTheEntryOfAValue) {
  constexpr EnumTable<Colour, const char*> kNames({"red", "green", "blue"});
  EXPECT_STREQ(kNames[Colour::Red], "red");
  EXPECT_STREQ(kNames[Colour::Blue], "blue");
}

TEST(EnumTable, RefusesAValueTheEnumDoesNotHave) {
  constexpr EnumTable<Colour, const char*> kNames({"red", "green", "blue"});
  EXPECT_DEATH(kNames[static_cast<Colour>(3)], "a value its enum does not have");
}

}  // namespace
}  // namespace hilo
