// Manual regions: what shard_map becomes, and whether what each device computes is the same.
#include <gmock/gmock.h>

#include "tests/support/spmd/partitioned_equals_whole.h"
#include "tests/unit/compiler/spmd/shardy/shardy_module.h"

namespace hilo::sdy {
namespace {

using testing::HasSubstr;

// p * p in a region that is manual along `axes`; the array is cut as `sharding`, its part is `part`.
std::string region(const std::string& axes, const std::string& sharding, const std::string& part,
                   const std::string& inside = "") {
  const auto quoted = [](std::string text) {
    for (size_t at; (at = text.find('\'')) != text.npos;) text.replace(at, 1, "\\\"");
    return text;
  };
  const std::string border = "frontend_attributes={xla.sdy.in_shardings=\"#sdy.sharding_per_value<[<@mesh, " +
                             quoted(sharding) + ">]>\",xla.sdy.manual_axes=\"#sdy<manual_axes{" +
                             quoted(axes) + "}>\",xla.sdy.out_shardings=\"#sdy.sharding_per_value<[<@mesh, " +
                             quoted(sharding) + ">]>\"}";
  return moduleText(
      "'a'=2, 'b'=2",
      R"(xla.sdy.manual_computation_body {
    x = )" +
          part + R"( parameter(0)
    y = )" +
          part + " multiply(x, x)\n" + (inside.empty() ? "" : "    " + inside + "\n") +
          "    ROOT z = " + part + R"( negate(y) }
  ENTRY e {
    p = f32[8,8] parameter(0)
    n = f32[8,8] negate(p)
    in = )" +
          part + " custom-call(n), custom_call_target=\"xla.sdy.GlobalToLocalShape\", " + border +
          "\n    c = " + part +
          " call(in), to_apply=xla.sdy.manual_computation_body, "
          "frontend_attributes={inlineable=\"xla_late\"}\n" +
          "    out = f32[8,8] custom-call(c), custom_call_target=\"xla.sdy.LocalToGlobalShape\", " + border +
          "\n    ROOT m = f32[8,8] negate(out) }",
      4);
}

TEST(ShardyManual, AllAxesManual) {
  const auto module = spreadModule(region("'a', 'b'", "[{'a'}, {'b'}]", "f32[4,4]"));
  EXPECT_EQ(shardingOf(*module, "y"), "{manual}");
  EXPECT_EQ(shardingOf(*module, "n"), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(shardingOf(*module, "m"), "{devices=[2,2]<=[4]}");
  EXPECT_THAT(printModule(*module), HasSubstr("xla.sdy.inlinable_manual_computation_body"));
  EXPECT_THAT(printModule(*module), HasSubstr("SPMDFullToShardShape"));
}

TEST(ShardyManual, FreeAxesSpreadThroughTheRegion) {
  const auto module = spreadModule(region("'a'", "[{'a'}, {'b', ?}]", "f32[4,8]"));
  EXPECT_EQ(shardingOf(*module, "y"), "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}");
  EXPECT_EQ(shardingOf(*module, "m"), "{devices=[2,2]<=[4]}");
}

TEST(ShardyManual, AnAxisThatIsManualMayNotBeUsedInside) {
  const Diagnostic refusal =
      refusalOf(region("'a'", "[{'a'}, {}]", "f32[4,8]",
                       "w = f32[4,8] custom-call(y), custom_call_target=\"Sharding\"@[{'a'}, {}]"));
  EXPECT_EQ(refusal.kind, "sharding-invalid");
  EXPECT_THAT(refusal.message, HasSubstr("axis \"a\" is manual in its region"));
  EXPECT_EQ(refusal.place.instruction, "w");
}

TEST(ShardyManual, PartsThatAreNotWhatTheAxesMake) {
  const Diagnostic refusal = refusalOf(region("'a'", "[{'a'}, {}]", "f32[3,8]"));
  EXPECT_EQ(refusal.kind, "sharding-invalid");
  EXPECT_THAT(refusal.message, HasSubstr("dimension 0 of f32[8,8] in 2 parts along \"a\" is not 3"));
  EXPECT_THAT(refusalOf(region("'x'", "[{'a'}, {}]", "f32[4,8]")).message, HasSubstr("no manual axis \"x\""));
  EXPECT_THAT(refusalOf(region("'a'", "[{'b', 'a'}, {}]", "f32[4,8]")).message,
              HasSubstr("manual axis \"a\" stands behind one that is not"));
}

TEST(ShardyManual, PartsOutsideOfTheirRegion) {
  const Diagnostic refusal = refusalOf(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8] parameter(0)
    in = f32[4] custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
    ROOT n = f32[4] negate(in) })",
                                                  2));
  EXPECT_EQ(refusal.kind, "sharding-invalid");
  EXPECT_THAT(refusal.message, HasSubstr("outside of a manual region"));
  EXPECT_EQ(refusal.place.instruction, "in");
}

// The same by hand, without a region, on one device.
TEST(ShardyManual, EachDeviceRunsTheBody) {
  for (const std::string& text :
       {region("'a', 'b'", "[{'a'}, {'b'}]", "f32[4,4]"), region("'a'", "[{'a'}, {'b', ?}]", "f32[4,8]"),
        region("'b'", "[{}, {'b'}]", "f32[8,4]")}) {
    auto module = parseModuleStrictly(text);
    ASSERT_TRUE(module.has_value());
    const SpmdOutcome outcome =
        partitionAndCompare(*std::move(module), {.passes = "shardy-xla,spmd-partitioning,call-inliner,dce"});
    EXPECT_FALSE(outcome.refusal.has_value()) << toString(*outcome.refusal);
    const std::string partitioned = printModule(*outcome.partitioned);
    EXPECT_THAT(partitioned, testing::Not(HasSubstr("custom-call"))) << partitioned;
    EXPECT_THAT(partitioned, HasSubstr("multiply"));
  }
}

}  // namespace
}  // namespace hilo::sdy
