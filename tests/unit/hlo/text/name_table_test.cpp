#include "core/hlo/text/name_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

// The table never looks at an instruction: a number stands for one.
Instruction* numbered(size_t number) { return reinterpret_cast<Instruction*>(8 * (number + 1)); }

TEST(NameTable, FindsWhatWasInsertedPastItsFirstSize) {
  NameTable table;
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) names.push_back(fmt::format("add.{}", i));
  for (size_t i = 0; i < names.size(); ++i) EXPECT_TRUE(table.insert(names[i], numbered(i)));
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(table.find(names[i]), numbered(i));
  EXPECT_EQ(table.find("add.1000"), nullptr);
}

TEST(NameTable, ATakenNameKeepsItsInstruction) {
  NameTable table;
  EXPECT_TRUE(table.insert("x", numbered(1)));
  EXPECT_FALSE(table.insert("x", numbered(2)));
  EXPECT_EQ(table.find("x"), numbered(1));
}

TEST(NameTable, ClearForgetsAndTheNextComputationMayReuseNames) {
  NameTable table(10);
  for (size_t round = 1; round < 100; ++round) {
    EXPECT_EQ(table.find("p0"), nullptr);
    EXPECT_TRUE(table.insert("p0", numbered(round)));
    EXPECT_EQ(table.find("p0"), numbered(round));
    EXPECT_TRUE(table.insert(std::string_view("abcdefgh").substr(0, round % 8 + 1), numbered(0)));
    table.clear();
  }
  table.forEach([](std::string_view name) { ADD_FAILURE() << name; });
}

}  // namespace
}  // namespace hilo
