// Scheduling groups are taken as a whole, and what makes that impossible is said.
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

// `group` on the collective and on c1; c0 is free to go anywhere.
std::string withGroup(const std::string& group) {
  const std::string note =
      group.empty() ? "" : ", frontend_attributes={_scheduling_group_id=\"" + group + "\"}";
  return R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[16,64,256]{2,1,0} parameter(0)
  q = f32[16,64,256]{2,1,0} parameter(1)
  x = f32[128]{0} parameter(2)
  s = (f32[128]{0}, f32[128]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}})" +
         note + R"(
  c0 = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, dim_labels=0fb_0io->0fb
  c1 = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, dim_labels=0fb_0io->0fb)" +
         note + R"(
  d = f32[128]{0} collective-permute-done(s))" +
         note + R"(
  ROOT t = (f32[16,256,256]{2,1,0}, f32[16,256,256]{2,1,0}, f32[128]{0}) tuple(c0, c1, d)
}
)";
}

TEST(Groups, MembersStandTogether) {
  const auto module = scheduledModule(withGroup("0"));
  scheduleAndCheck(*module);
  EXPECT_EQ(positionOf(*module, "c1"), positionOf(*module, "s") + 1);
  EXPECT_EQ(positionOf(*module, "d"), positionOf(*module, "c1") + 1);
}

TEST(Groups, TheIterationIsNotPartOfTheGroup) {
  const auto module = scheduledModule(withGroup("7:3"));
  const auto annotation = schedulingAnnotation(*module->findInstruction("c1"));
  ASSERT_TRUE(annotation);
  EXPECT_EQ(**annotation, (SchedulingAnnotation{7, 3}));
  EXPECT_EQ(toString(**annotation), "7:3");
  EXPECT_EQ(nextSchedulingGroup(*module), 8);
  scheduleAndCheck(*module);
  EXPECT_EQ(positionOf(*module, "c1"), positionOf(*module, "s") + 1);
}

TEST(Groups, ABadAnnotationIsAnError) {
  const auto module = scheduledModule(withGroup("first"));
  const auto result = scheduleToHideLatency(*module, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, "bad-scheduling-annotation");
}

TEST(Groups, AGroupThatNeedsMoreThanTheLimitIsNamed) {
  // Two gathers whose starts are not in the group: both are in flight when it begins.
  const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
wrapped.0 {
  p = f32[8]{0} parameter(0)
  ROOT g = f32[16]{0} all-gather(p), replica_groups={{0,1}}, dimensions={0}
}
wrapped.1 {
  p = f32[8]{0} parameter(0)
  ROOT g = f32[16]{0} all-gather(p), replica_groups={{0,1}}, dimensions={0}
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  s0 = ((f32[8]{0}), f32[16]{0}) async-start(x), calls=wrapped.0
  s1 = ((f32[8]{0}), f32[16]{0}) async-start(x), calls=wrapped.1
  d0 = f32[16]{0} async-done(s0), frontend_attributes={_scheduling_group_id="1"}
  d1 = f32[16]{0} async-done(s1), frontend_attributes={_scheduling_group_id="1"}
  ROOT t = (f32[16]{0}, f32[16]{0}) tuple(d0, d1)
}
)");
  const auto result = scheduleToHideLatency(*module, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, "scheduling-group-blocked");
  EXPECT_NE(result.error().message.find("It needs 2 kAllGather resources, but the limit is 1"),
            std::string::npos)
      << result.error().message;
  LatencyHidingRequest request;
  request.config.deannotateGroupIfBlocked = true;
  scheduleAndCheck(*module, request);
}

TEST(Groups, AGapIsRefusedWithTheWayThroughIt) {
  const auto module = scheduledModule(R"(HloModule m
ENTRY e {
  x = f32[8]{0} parameter(0)
  y = f32[8]{0} parameter(1)
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1}}, frontend_attributes={_scheduling_group_id="5"}
  d = f32[8]{0} collective-permute-done(s), frontend_attributes={_scheduling_group_id="5"}
  gap = f32[8]{0} add(d, y)
  ROOT e1 = f32[8]{0} multiply(gap, y), frontend_attributes={_scheduling_group_id="5"}
}
)");
  PassContext context;
  const auto refused = legalizeSchedulingAnnotations(*module, context);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "scheduling-group-gap");
  EXPECT_NE(std::ranges::find(refused.error().notes, "path: gap, annotation: none"),
            refused.error().notes.end());
  SchedulingAnnotationRules rules;
  rules.dropGroupsWithGaps = true;
  const auto dropped = legalizeSchedulingAnnotations(*module, context, rules);
  ASSERT_TRUE(dropped);
  EXPECT_TRUE(*dropped);
  EXPECT_TRUE(module->findInstruction("d")->get<Attr::FrontendAttributes>().empty());
}

TEST(Groups, AFusionTakesOverTheAnnotationOfWhatItFuses) {
  const auto module = scheduledModule(R"(HloModule m
fused {
  p = f32[8]{0} parameter(0)
  ROOT n = f32[8]{0} negate(p), frontend_attributes={_scheduling_group_id="2"}
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  f = f32[8]{0} fusion(x), kind=kLoop, calls=fused
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1}}, frontend_attributes={_scheduling_group_id="2"}
  d = f32[8]{0} collective-permute-done(s), frontend_attributes={_scheduling_group_id="2"}
  ROOT t = (f32[8]{0}, f32[8]{0}) tuple(f, d)
}
)");
  PassContext context;
  ASSERT_TRUE(legalizeSchedulingAnnotations(*module, context));
  const auto annotation = schedulingAnnotation(*module->findInstruction("f"));
  ASSERT_TRUE(annotation && *annotation);
  EXPECT_EQ((*annotation)->group, 2);
}

}  // namespace
}  // namespace hilo
