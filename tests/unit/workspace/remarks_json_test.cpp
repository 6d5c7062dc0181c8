// Remarks of a pass, written into a document and read back.
#include <gtest/gtest.h>

#include "core/workspace/document/step_json.h"

namespace hilo {
namespace {

TEST(RemarksJson, WordsAndFactsComeBack) {
  const std::vector<Remark> remarks = {
      {.instruction = {}, .name = "a", .kind = "removed", .message = "no user"},
      {.instruction = {},
       .name = "b",
       .kind = "all-gather",
       .message = "%all-gather ...",
       .facts = {{"from", "{devices=[2]<=[2]}"}, {"to", "{replicated}"}}}};
  const auto read = remarksFromJson(remarksToJson(remarks), nullptr);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].message, "no user");
  EXPECT_TRUE(read[0].facts.empty());
  EXPECT_EQ(read[1].name, "b");
  EXPECT_EQ(read[1].facts, remarks[1].facts);
}

TEST(RemarksJson, WhatIsNoRemarkIsPassedOver) {
  const auto read = remarksFromJson(
      R"([["a","k"], ["a","k",3], ["a","k","m",7], ["a",2,"m",[]], ["a","k","m",[["x"],["y","z"]],1],
          ["a","k","m",[["x"],["y",1],["y","z"]]]])",
      nullptr);
  ASSERT_EQ(read.size(), 1u);
  ASSERT_EQ(read[0].facts.size(), 1u);
  EXPECT_EQ(read[0].facts[0], std::pair(std::string("y"), std::string("z")));
  EXPECT_TRUE(remarksFromJson("{", nullptr).empty());
}

}  // namespace
}  // namespace hilo
