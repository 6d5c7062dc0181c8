#include "core/workspace/passes/pass_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;

TEST(PassFile, HasAPassALineAndComments) {
  const auto passes =
      parsePassFile("# first\n\n  cse \r\nwhile-loop-unroller{trip_count_threshold=16}\ncse\n", "f");
  ASSERT_TRUE(passes) << toString(passes.error());
  EXPECT_THAT(*passes, ElementsAre("cse", "while-loop-unroller{trip_count_threshold=16}", "cse"));
  const auto again = parsePassFile(passFileText(*passes), "f");
  ASSERT_TRUE(again) << toString(again.error());
  EXPECT_EQ(*again, *passes);
}

TEST(PassFile, SaysWhichLineIsWrong) {
  const auto unknown = parsePassFile("dce\n# none\nno-such-pass\n", "mine.passes");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, "unknown-pass");
  EXPECT_EQ(unknown.error().place.line, 3u);
  const auto two = parsePassFile("cse,dce\n", "mine.passes");
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().kind, "bad-pass-list");
  EXPECT_EQ(parsePassFile("# nothing\n", "mine.passes").error().kind, "no-passes");
  EXPECT_EQ(readPassFile("/no/such/file").error().kind, "file-not-found");
}

}  // namespace
}  // namespace hilo
