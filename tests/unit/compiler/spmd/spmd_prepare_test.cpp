// Scatters that were made of two are taken apart where each half can be cut.
#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

// Halves count along the first dimension; side by side they count twice.
std::string module() {
  return R"(HloModule m, num_partitions=4
    add { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b) }
    ENTRY e { p = f32[8,5] parameter(0), sharding=S
      q = f32[8,5] parameter(1), sharding=S
      x = s32[8,1] parameter(2), sharding=S
      u = f32[8] parameter(3)
      v = f32[8] parameter(4)
      i = s32[8,1] iota(), iota_dimension=0, sharding=S
      c = s32[8,2] concatenate(i, x), dimensions={1}, sharding=S
      j = s32[8,1] iota(), iota_dimension=0, sharding=S
      d = s32[8,2] concatenate(j, x), dimensions={1}, sharding=S
      indices = s32[16,2] concatenate(c, d), dimensions={0}
      updates = f32[16] concatenate(u, v), dimensions={0}
      sum = f32[8,5] add(p, q), sharding=S
      ROOT s = f32[8,5] scatter(sum, indices, updates), update_window_dims={},
        inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add,
        sharding=S })";
}

int scattersOf(const std::string& sharding) {
  std::string text = module();
  for (size_t at = text.find("sharding=S"); at != text.npos; at = text.find("sharding=S"))
    text.replace(at, 10, "sharding=" + sharding);
  auto whole = parseModuleStrictly(text);
  EXPECT_TRUE(whole) << (whole ? "" : toString(whole.error()));
  const SpmdOutcome outcome = partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)),
                                                  {.passes = "spmd-prepare,spmd-partitioning"});
  EXPECT_EQ(outcome.difference, "");
  int count = 0;
  for (const Instruction* i : outcome.partitioned->entry()->instructions())
    count += i->opcode() == Opcode::Scatter ? 1 : 0;
  return count;
}

TEST(SpmdPrepare, TakesAScatterOfTwoApart) { EXPECT_EQ(scattersOf("{devices=[4,1]<=[4]}"), 2); }
TEST(SpmdPrepare, LeavesOneThatGainsNothing) {
  EXPECT_EQ(scattersOf("{devices=[1,1,4]<=[4] last_tile_dim_replicate}"), 1);
}

}  // namespace
}  // namespace hilo
