#include "core/runtime/engine/engine.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(EngineTable, FindsByNameInOrderAdded) {
  EngineTable table;
  ASSERT_TRUE(table.add({.name = "b", .description = "second letter"}));
  ASSERT_TRUE(table.add({.name = "a"}));
  ASSERT_EQ(table.all().size(), 2u);
  EXPECT_EQ(table.all()[0]->name, "b");
  EXPECT_EQ(table.find("b")->description, "second letter");
  EXPECT_EQ(table.find("c"), nullptr);
}

TEST(EngineTable, RefusesANameTwice) {
  EngineTable table;
  ASSERT_TRUE(table.add({.name = "a"}));
  const Engine* first = table.find("a");
  const Status again = table.add({.name = "a", .description = "other"});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, "duplicate-engine");
  EXPECT_EQ(table.find("a"), first);
}

}  // namespace
}  // namespace hilo
