#include "core/hlo/dump/thunk_sequence.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

std::vector<DumpedThunk> parse(std::string_view text) {
  auto thunks = parseThunkSequence(text);
  EXPECT_TRUE(thunks) << toString(thunks.error());
  return thunks ? *std::move(thunks) : std::vector<DumpedThunk>();
}

TEST(ThunkSequence, FlatOldForm) {
  const auto thunks = parse(
      "kKernel        \t, kernel = loop_abs_fusion, launch dimensions = blocks: {398, 1, 1}, threads/block: "
      "{128, 1, 1}, "
      "cluster_dim = nullopt\n"
      "kAllReduceStart\t\n"
      "kFft           \t\n");
  ASSERT_EQ(thunks.size(), 3u);
  EXPECT_EQ(thunks[0].kind, "kKernel");
  EXPECT_EQ(thunks[0].kernelName, "loop_abs_fusion");
  EXPECT_TRUE(thunks[0].description.starts_with("kernel = loop_abs_fusion, launch dimensions"));
  EXPECT_EQ(thunks[1].kind, "kAllReduceStart");
  EXPECT_EQ(thunks[1].description, "");
  EXPECT_EQ(thunks[2].line, 3u);
}

// As XLA prints loops: "condition:" always at the left edge, bodies two deeper.
TEST(ThunkSequence, NestedWhile) {
  const auto thunks = parse(
      "kCopy \t\n"
      "kWhile\t  \n"
      "condition:\n"
      "    kKernel\t, kernel = cond\n"
      "  body:\n"
      "    kGemm \t\n"
      "    kWhile\t      \n"
      "condition:\n"
      "        kKernel\t, kernel = inner\n"
      "      body:\n"
      "        kCopy\t\n"
      "\n"
      "    kFft  \t\n"
      "kKernel\t, kernel = last\n");
  ASSERT_EQ(thunks.size(), 3u);
  EXPECT_EQ(thunks[2].kernelName, "last");
  const DumpedThunk& loop = thunks[1];
  ASSERT_EQ(loop.groups.size(), 2u);
  EXPECT_EQ(loop.groups[0].label, "condition");
  EXPECT_EQ(loop.groups[0].thunks[0].kernelName, "cond");
  EXPECT_EQ(loop.groups[1].label, "body");
  ASSERT_EQ(loop.groups[1].thunks.size(), 3u);
  EXPECT_EQ(loop.groups[1].thunks[2].kind, "kFft");
  const DumpedThunk& inner = loop.groups[1].thunks[1];
  ASSERT_EQ(inner.groups.size(), 2u);
  EXPECT_EQ(inner.groups[0].thunks[0].kernelName, "inner");
  EXPECT_EQ(inner.groups[1].thunks[0].kind, "kCopy");
}

TEST(ThunkSequence, SequentialStartsOnItsLine) {
  const auto thunks = parse(
      "kSequential    \t  kCopy           \t\n"
      "  kTriangularSolve\t\n"
      "kGemm\t\n");
  ASSERT_EQ(thunks.size(), 2u);
  ASSERT_EQ(thunks[0].groups.size(), 1u);
  ASSERT_EQ(thunks[0].groups[0].thunks.size(), 2u);
  EXPECT_EQ(thunks[0].groups[0].thunks[1].kind, "kTriangularSolve");
}

TEST(ThunkSequence, IdsAndConflicts) {
  auto thunks = parse(
      "001: kReplicaId  [source       | next=002 (1)] (no description)\n"
      "002: kAsyncStart [prev=001 (1) | sink        ] stream = 1\n");
  ASSERT_EQ(thunks.size(), 2u);
  EXPECT_EQ(thunks[0].id, 1);
  EXPECT_EQ(thunks[0].previousConflict, -1);
  EXPECT_EQ(thunks[0].nextConflict, 2);
  EXPECT_EQ(thunks[0].description, "");
  EXPECT_EQ(thunks[1].previousConflict, 1);
  EXPECT_EQ(thunks[1].description, "stream = 1");

  pb::ThunkMetadataListProto metadata;
  auto& info = *metadata.add_thunk_metadata()->mutable_thunk_info();
  info.set_thunk_id(2);
  info.set_profile_annotation("all-reduce.1");
  joinThunkMetadata(thunks, metadata);
  EXPECT_EQ(thunks[1].profileAnnotation, "all-reduce.1");
  EXPECT_EQ(thunks[0].profileAnnotation, "");
}

TEST(ThunkSequence, EmptyAndBroken) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("No thunks.\n").empty());
  const auto bad = parseThunkSequence("kKernel\t\nwhat is this\n", "t.txt");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, "bad-thunk-sequence");
  EXPECT_EQ(bad.error().place.line, 2u);
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += std::string(i * 2, ' ') + "kSequential\t";
  EXPECT_FALSE(parseThunkSequence(deep + std::string(600, ' ') + "kCopy\t\n"));
}

}  // namespace
}  // namespace hilo
