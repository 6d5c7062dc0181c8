// Remarks read back: of every collective that partitioning makes, and of every decision.
#include "core/compiler/spmd/spmd_remarks.h"

#include <gtest/gtest.h>

#include "core/hlo/ir/op_facts.h"
#include "tests/support/spmd/fuzz_shardings.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

Remark remarkOf(std::string kind, std::string message) {
  return {.instruction = {}, .name = "c", .kind = std::move(kind), .message = std::move(message)};
}

TEST(SpmdRemarks, AnOperandThatMoves) {
  const auto read = readCollectiveRemark(remarkOf(
      "all-gather",
      "%all-gather.2 f32[8,8]: operand 0 of %c, %w from {devices=[4,1]<=[4]} to {replicated}; model.py:7"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->collective, "all-gather.2");
  EXPECT_EQ(read->move.what, "operand 0 of %c, %w");
  EXPECT_EQ(read->move.producer, "w");
  EXPECT_EQ(read->move.consumer, "c");
  EXPECT_EQ(read->move.from, "{devices=[4,1]<=[4]}");
  EXPECT_EQ(read->move.to, "{replicated}");
}

TEST(SpmdRemarks, PartialResultsHaveNoShardings) {
  const auto read = readCollectiveRemark(
      remarkOf("all-reduce",
               "%all-reduce f32[]: %c sums over a dimension that is cut: partial results are put together"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->move.producer, "c");
  EXPECT_EQ(read->move.consumer, "c");
  EXPECT_EQ(read->move.from, "");
}

TEST(SpmdRemarks, OtherWordsAreNotTakenForOnes) {
  EXPECT_FALSE(readCollectiveRemark(remarkOf("all-gather", "something else")));
  EXPECT_FALSE(readCollectiveRemark(remarkOf("all-gather", "%")));
  EXPECT_FALSE(readShardedRemark(remarkOf("sharded", "{replicated}")));
  EXPECT_FALSE(
      readShardedRemark(remarkOf("missed", "{replicated} from operand %a by add (level 0, round 1)")));
  EXPECT_FALSE(readFullRematerialization(remarkOf("full-rematerialization", "of everything")));
}

// What the passes write is what is read: a change of their words fails here.
TEST(SpmdRemarks, AllThatThePassesWriteIsRead) {
  size_t collectives = 0, moves = 0, decisions = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto module = fuzz::makeShardedModule(seed, 12);
    ASSERT_TRUE(module);
    const SpmdOutcome outcome = partitionAndCompare(*module, {.mostWork = 0});
    for (const Remark& remark : outcome.remarks) {
      const auto opcode = opcodeFromName(remark.kind);
      if (opcode && startsCollective(*opcode)) {
        const auto read = readCollectiveRemark(remark);
        ASSERT_TRUE(read && !read->move.consumer.empty()) << remark.message;
        EXPECT_EQ(read->move.from.empty(), remark.message.find(" from {") == std::string::npos)
            << remark.message;
        ++collectives;
        moves += !read->move.from.empty();
      } else if (remark.kind == "sharded") {
        ASSERT_TRUE(readShardedRemark(remark)) << remark.message;
        ++decisions;
      } else if (remark.kind == "full-rematerialization") {
        ASSERT_TRUE(readFullRematerialization(remark)) << remark.message;
      }
    }
  }
  EXPECT_GT(collectives, 50u);
  EXPECT_GT(moves, 20u);
  EXPECT_GT(decisions, 50u);
}

}  // namespace
}  // namespace hilo
