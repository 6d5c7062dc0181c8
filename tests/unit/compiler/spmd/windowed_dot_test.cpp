// Dots whose collective becomes a loop of smaller dots and permutes.
#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

constexpr const char* kPasses =
    "spmd-partitioning{windowed_einsum_threshold_mib=0,max_windowed_einsum_iteration=8}";

struct Made {
  int loops = 0, permutes = 0, others = 0;
};

Made partition(const std::string& lhs, const std::string& rhs, const std::string& result,
               const std::string& shapes = "f32[8,4] f32[4,16]") {
  const size_t space = shapes.find(' ');
  const std::string text = "HloModule m, num_partitions=4\nENTRY e { p = " + shapes.substr(0, space) +
                           " parameter(0), sharding=" + lhs + "\n q = " + shapes.substr(space + 1) +
                           " parameter(1), sharding=" + rhs +
                           "\n ROOT d = f32[8,16] dot(p, q), lhs_contracting_dims={1}, "
                           "rhs_contracting_dims={0}, sharding=" +
                           result + " }";
  auto whole = parseModuleStrictly(text);
  EXPECT_TRUE(whole);
  const SpmdOutcome outcome =
      partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)), {.passes = kPasses});
  EXPECT_FALSE(outcome.refusal) << toString(*outcome.refusal);
  EXPECT_EQ(outcome.difference, "") << text;
  Made made;
  for (const Computation* computation : outcome.partitioned->computations()) {
    for (const Instruction* i : computation->instructions()) {
      made.loops += i->opcode() == Opcode::While ? 1 : 0;
      made.permutes += i->opcode() == Opcode::CollectivePermute ? 1 : 0;
      made.others += i->opcode() == Opcode::AllGather || i->opcode() == Opcode::AllReduce ? 1 : 0;
    }
  }
  return made;
}

void expectOneLoop(const Made& made) {
  EXPECT_EQ(made.loops, 1);
  EXPECT_EQ(made.permutes, 1);
  EXPECT_EQ(made.others, 0);
}

TEST(WindowedDot, GathersAFreeDimensionRoundByRound) {
  expectOneLoop(partition("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", "{devices=[4,1]<=[4]}"));
  expectOneLoop(partition("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", "{devices=[1,4]<=[4]}"));
  expectOneLoop(partition("{devices=[4,1]2,0,1,3}", "{devices=[1,4]2,0,1,3}", "{devices=[4,1]2,0,1,3}"));
}

TEST(WindowedDot, GathersAContractedDimensionRoundByRound) {
  expectOneLoop(partition("{devices=[4,1]<=[4]}", "{devices=[4,1]<=[4]}", "{devices=[4,1]<=[4]}"));
}

TEST(WindowedDot, ScattersASumRoundByRound) {
  const char* large = "f32[8,64] f32[64,16]";
  expectOneLoop(partition("{devices=[1,4]<=[4]}", "{devices=[4,1]<=[4]}", "{devices=[4,1]<=[4]}", large));
  expectOneLoop(
      partition("{devices=[1,4]3,1,2,0}", "{devices=[4,1]3,1,2,0}", "{devices=[1,4]3,1,2,0}", large));
}

TEST(WindowedDot, LeavesTheOtherAxisInPlace) {
  expectOneLoop(partition("{devices=[2,2]<=[4]}", "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
                          "{devices=[2,2]<=[4]}"));
}

TEST(WindowedDot, ASmallOneGathers) {
  const std::string text = R"(HloModule m, num_partitions=4
    ENTRY e { p = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
      q = f32[4,16] parameter(1), sharding={devices=[1,4]<=[4]}
      ROOT d = f32[8,16] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0},
        sharding={devices=[4,1]<=[4]} })";
  auto whole = parseModuleStrictly(text);
  const SpmdOutcome outcome = partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)));
  EXPECT_EQ(outcome.difference, "");
  for (const Instruction* i : outcome.partitioned->entry()->instructions())
    EXPECT_NE(i->opcode(), Opcode::While);
}

}  // namespace
}  // namespace hilo
