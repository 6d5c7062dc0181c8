// Shardings that cannot be: refused with a stable kind and the instruction, before anything is changed.
#include "tests/support/spmd/partitioned_equals_whole.h"

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Diagnostic refusalOf(const std::string& body, const std::string& header = "num_partitions=4") {
  auto module = parseModuleStrictly("HloModule m, " + header + "\n" + body);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  const SpmdOutcome outcome = partitionAndCompare(*std::move(module));
  EXPECT_TRUE(outcome.refusal.has_value()) << body;
  return outcome.refusal.value_or(Diagnostic());
}

TEST(WrongShardings, TilesForOtherDevices) {
  const Diagnostic refusal = refusalOf(
      "ENTRY e { p = f32[8] parameter(0), sharding={devices=[8]<=[8]}\n ROOT n = f32[8] negate(p) }");
  EXPECT_EQ(refusal.kind, "sharding-invalid");
  EXPECT_EQ(refusal.place.instruction, "p");
  EXPECT_FALSE(refusal.notes.empty());
}

TEST(WrongShardings, ADeviceTwice) {
  const Diagnostic refusal = refusalOf(
      "ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]0,1,1,3}\n ROOT n = f32[8] negate(p) }");
  EXPECT_EQ(refusal.kind, "sharding-invalid");
}

TEST(WrongShardings, AnAxisThatIsUsedTwice) {
  const Diagnostic refusal = refusalOf(
      "ENTRY e { p = f32[8,8] parameter(0), sharding={mesh['a'=4], [{'a'}, {'a'}]}\n ROOT n = f32[8,8] "
      "negate(p) }");
  EXPECT_EQ(refusal.kind, "sharding-invalid");
  EXPECT_EQ(refusal.place.instruction, "p");
}

TEST(WrongShardings, AGroupOfDifferentSizes) {
  const Diagnostic refusal = refusalOf(R"(ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
    a = f32[8] negate(p), sharding={devices=[4]<=[4] shard_as 0}
    s = f32[4] slice(p), slice={[0:4]}
    b = f32[4] negate(s), sharding={devices=[4]<=[4] shard_as 0}
    ROOT t = (f32[8], f32[4]) tuple(a, b) })");
  EXPECT_EQ(refusal.kind, "shard-group-mismatch");
  EXPECT_EQ(refusal.place.instruction, "b");
}

TEST(WrongShardings, ManualOutsideOfItsRegion) {
  const Diagnostic refusal = refusalOf(R"(ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
    m = f32[8] negate(p), sharding={manual}
    ROOT n = f32[8] negate(m), sharding={devices=[4]<=[4]} })");
  EXPECT_EQ(refusal.kind, "spmd-manual-mismatch");
  EXPECT_EQ(refusal.place.instruction, "m");
}

TEST(WrongShardings, ShardysAreNotSpreadAsGspmds) {
  const Diagnostic refusal = refusalOf(
      "ENTRY e { p = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
      "[{\\\"a\\\"}]>\"}\n ROOT n = f32[8] negate(p) }",
      "num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2]>}}");
  EXPECT_EQ(refusal.kind, "shardy-unsupported");
}

TEST(WrongShardings, SideEffectsOutsideOfManualRegions) {
  const Diagnostic refusal = refusalOf(R"(ENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
    ROOT c = f32[8] custom-call(p), custom_call_target="log", custom_call_has_side_effect=true })");
  EXPECT_EQ(refusal.kind, "spmd-unsupported");
  EXPECT_EQ(refusal.place.instruction, "c");
}

TEST(WrongShardings, AQueueOfPartsOfDifferentSizes) {
  const Diagnostic refusal = refusalOf(R"(ENTRY e { t = token[] after-all()
    p = f32[9] parameter(0), sharding={devices=[4]<=[4]}
    ROOT o = token[] outfeed(p, t), outfeed_shape=f32[9], sharding={devices=[4]<=[4]} })");
  EXPECT_EQ(refusal.kind, "spmd-unsupported");
  EXPECT_EQ(refusal.place.instruction, "o");
}

TEST(WrongShardings, UnreducedOnSomeAxesOnly) {
  const Diagnostic refusal = refusalOf(R"(ENTRY e { p = f32[8] parameter(0),
      sharding={devices=[1,2,2]<=[4] last_tile_dims={unreduced, replicated}}
    ROOT c = f32[8] copy(p) })");
  EXPECT_EQ(refusal.kind, "spmd-unsupported");
  EXPECT_EQ(refusal.place.instruction, "p");
}

}  // namespace
}  // namespace hilo
