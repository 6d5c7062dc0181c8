// Shardings whose devices hold parts of a sum.
#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

int allReduces(const std::string& body) {
  auto whole = parseModuleStrictly("HloModule m, num_partitions=4\n" + body);
  EXPECT_TRUE(whole) << body;
  const SpmdOutcome outcome = partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)));
  EXPECT_FALSE(outcome.refusal) << toString(*outcome.refusal);
  EXPECT_EQ(outcome.difference, "") << body;
  int count = 0;
  for (const Instruction* i : outcome.partitioned->entry()->instructions())
    count += i->opcode() == Opcode::AllReduce ? 1 : 0;
  return count;
}

TEST(Unreduced, ASumThatStaysInParts) {
  EXPECT_EQ(allReduces(R"(ENTRY e { a = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}
    b = f32[16,4] parameter(1), sharding={devices=[4,1]<=[4]}
    d = f32[8,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={unreduced}
    ROOT c = f32[8,4] copy(d), sharding={unreduced} })"),
            0);
}

TEST(Unreduced, InGroups) {
  EXPECT_EQ(allReduces(R"(ENTRY e { a = f32[8,16] parameter(0), sharding={devices=[2,2]<=[4]}
    b = f32[16,4] parameter(1), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
    ROOT d = f32[8,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      sharding={devices=[2,1,2]<=[4] last_tile_dims={unreduced}} })"),
            0);
}

TEST(Unreduced, IsAddedUpOnceWhereItsSumIsNeeded) {
  EXPECT_EQ(allReduces(R"(ENTRY e { a = f32[8,4] parameter(0), sharding={unreduced}
    ROOT t = f32[8,4] tanh(a), sharding={devices=[4,1]<=[4]} })"),
            1);
}

TEST(Unreduced, AWholeValueBecomesASum) {
  EXPECT_EQ(allReduces(R"(ENTRY e { a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
    ROOT t = f32[8,4] copy(a), sharding={unreduced} })"),
            0);
}

TEST(Unreduced, OfNamedAxes) {
  EXPECT_EQ(
      allReduces(
          R"(ENTRY e { a = f32[8,4] parameter(0), sharding={mesh['x'=2,'y'=2], [{'x'}, {}], unreduced={'y'}}
    ROOT t = f32[8,4] copy(a), sharding={mesh['x'=2,'y'=2], [{'x'}, {}]} })"),
      1);
}

}  // namespace
}  // namespace hilo
