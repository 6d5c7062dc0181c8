// Remarks read back: of every collective that partitioning makes, and of every decision.
#include "core/compiler/spmd/spmd_remarks.h"

#include <gtest/gtest.h>

#include "core/hlo/ir/op_facts.h"
#include "tests/support/spmd/fuzz_shardings.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

Remark remarkOf(std::string kind, RemarkFacts facts) {
  return {
      .instruction = {}, .name = "c", .kind = std::move(kind), .message = "words", .facts = std::move(facts)};
}

TEST(SpmdRemarks, AnOperandThatMoves) {
  const MoveRemark move{.what = "operand 0 of %c, %w",
                        .producer = "w",
                        .consumer = "c",
                        .from = "{devices=[4,1]<=[4]}",
                        .to = "{replicated}"};
  const auto read = readCollectiveRemark(
      remarkOf("all-gather", factsOf(CollectiveRemark{.collective = "all-gather.2", .move = move})));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->collective, "all-gather.2");
  EXPECT_EQ(read->move.producer, "w");
  EXPECT_EQ(read->move.consumer, "c");
  EXPECT_EQ(wordsOf(read->move), "operand 0 of %c, %w from {devices=[4,1]<=[4]} to {replicated}");
}

TEST(SpmdRemarks, PartialResultsHaveNoShardings) {
  const MoveRemark move{.what = "%c sums over a dimension that is cut", .producer = "c", .consumer = "c"};
  const auto read = readCollectiveRemark(
      remarkOf("all-reduce", factsOf(CollectiveRemark{.collective = "all-reduce", .move = move})));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->move.from, "");
  EXPECT_EQ(wordsOf(read->move), "%c sums over a dimension that is cut");
}

TEST(SpmdRemarks, ADecision) {
  const ShardingDecision decision{.instruction = {},
                                  .name = "c",
                                  .sharding = "{replicated}",
                                  .neighbour = "a",
                                  .rule = "dot",
                                  .direction = ShardingDecision::Direction::FromUser,
                                  .level = 1,
                                  .round = 12};
  EXPECT_EQ(decisionText(decision), "{replicated} from user %a by dot (level 1, round 12)");
  const auto read = readShardedRemark(remarkOf("sharded", factsOf(decision)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->way, "user");
  EXPECT_EQ(read->neighbour, "a");
  EXPECT_EQ(read->rule, "dot");
  EXPECT_EQ(read->round, 12);
  EXPECT_FALSE(readShardedRemark(remarkOf("missed", factsOf(decision))));
}

TEST(SpmdRemarks, WordsAloneSayNothing) {
  EXPECT_FALSE(readCollectiveRemark(remarkOf("all-gather", {})));
  EXPECT_FALSE(readShardedRemark(remarkOf("sharded", {})));
  EXPECT_FALSE(readFullRematerialization(remarkOf("full-rematerialization", {})));
}

// Every remark of these kinds has its facts, and they are what its words say.
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
        EXPECT_NE(remark.message.find("%" + read->collective + " "), std::string::npos) << remark.message;
        EXPECT_NE(remark.message.find(": " + wordsOf(read->move)), std::string::npos) << remark.message;
        ++collectives;
        moves += !read->move.from.empty();
      } else if (remark.kind == "sharded") {
        const auto read = readShardedRemark(remark);
        ASSERT_TRUE(read) << remark.message;
        EXPECT_TRUE(remark.message.starts_with(read->sharding + " from " + read->way)) << remark.message;
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
