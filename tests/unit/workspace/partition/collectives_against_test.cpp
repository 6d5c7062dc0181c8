// Our collectives held against those of a module that XLA optimized.
#include "core/workspace/partition/collectives_against.h"

#include <gmock/gmock.h>

#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

// A gather of 1 KiB, as XLA for GPU writes it; a sum of two arrays; a loop of three turns with one more.
constexpr const char* kOptimized = R"(HloModule m, num_partitions=4
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
body {
  p = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[16] get-tuple-element(p), index=1
  r = f32[16] all-reduce(x), to_apply=add, replica_groups={}
  ROOT t = (s32[], f32[16]) tuple(next, r)
}
condition {
  p = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  three = s32[] constant(3)
  ROOT c = pred[] compare(i, three), direction=LT
}
ENTRY e {
  w = f32[2,32] parameter(0)
  y = f32[16] parameter(1)
  g = (f32[2,32], f32[8,32]) all-gather-start(w), dimensions={0}, replica_groups=[1,4]<=[4]
  d = f32[8,32] all-gather-done(g)
  s = (f32[16], f32[16]) all-reduce(y, y), to_apply=add, replica_groups={}
  zero = s32[] constant(0)
  y0 = f32[16] get-tuple-element(s), index=0
  start = (s32[], f32[16]) tuple(zero, y0)
  loop = (s32[], f32[16]) while(start), condition=condition, body=body
  ROOT o = (f32[8,32], (s32[], f32[16])) tuple(d, loop)
}
)";

TEST(CollectivesAgainst, ArraysAreCountedWithTheirTrips) {
  const auto moved = movedArrays(*shardedModule(kOptimized));
  ASSERT_EQ(moved.size(), 4u);
  int64_t bytes = 0;
  for (const MovedArray& array : moved) bytes += array.allBytes();
  EXPECT_EQ(bytes, 8 * 32 * 4 + 2 * 16 * 4 + 3 * 16 * 4);
  EXPECT_THAT(moved,
              testing::Contains(AllOf(Field(&MovedArray::kind, "all-gather"), Field(&MovedArray::bytes, 1024),
                                      Field(&MovedArray::shape, "f32[8,32]"))));
}

TEST(CollectivesAgainst, KindsStandSideBySide) {
  const auto xlas = shardedModule(kOptimized);
  const auto ours = partitioningOf({.module = shardedModule()});
  const CollectivesAgainst against = collectivesAgainst(*ours->local, *xlas);
  ASSERT_EQ(against.kinds.size(), 2u);
  EXPECT_EQ(against.kinds[0].kind, "all-gather");
  EXPECT_EQ(against.kinds[0].ourBytes, 1024);
  EXPECT_EQ(against.kinds[0].xlaBytes, 1024);
  EXPECT_EQ(against.kinds[1].kind, "all-reduce");
  EXPECT_EQ(against.kinds[1].ourArrays, 0);
  EXPECT_EQ(against.kinds[1].xlaArrays, 3);
  EXPECT_EQ(against.sum.ourBytes, 1024);
  EXPECT_EQ(against.sum.xlaBytes, 1024 + 5 * 64);
  EXPECT_THAT(against.onlyOurs, IsEmpty());
  EXPECT_THAT(against.onlyXlas, ElementsAre(Field(&MovedArray::name, "r"), Field(&MovedArray::name, "s"),
                                            Field(&MovedArray::name, "s")));
}

TEST(CollectivesAgainst, TheModuleIsOptimizedAsAWhole) {
  const auto against =
      partitionAgainst({.module = shardedModule()}, *shardedModule(kOptimized), JobContext());
  ASSERT_TRUE(against) << toString(against.error());
  EXPECT_EQ(against->sum.ourBytes, 1024);
}

TEST(CollectivesAgainst, OtherDevicesCannotBeCompared) {
  const auto against =
      partitionAgainst({.module = shardedModule(), .devices = 2}, *shardedModule(kOptimized), JobContext());
  ASSERT_FALSE(against);
  EXPECT_EQ(against.error().kind, "other-devices");
}

}  // namespace
}  // namespace hilo
