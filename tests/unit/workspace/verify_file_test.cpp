#include "core/workspace/open/verify_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/workspace/memory/live_bytes.h"
#include "core/workspace/memory/memory_plans.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/schedule/schedule.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

constexpr const char* kIllFormed = R"(ENTRY e { p = f32[2,3] parameter(0)
  t = f32[2,3] transpose(p), dimensions={7,8}
  ROOT s = f32[5] negate(t) })";

TEST(RequireVerified, SaysTheFirstErrorAndNotesTheOthers) {
  const auto module = moduleOf(kIllFormed);
  const Status status = requireVerified(*module);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, "dimension-out-of-range");
  EXPECT_EQ(status.error().place.line, 3u);
  ASSERT_EQ(status.error().notes.size(), 1u);
  EXPECT_THAT(status.error().notes[0], testing::HasSubstr("result-shape"));
}

TEST(RequireVerified, LetsThroughWhatIsNotInTheWay) {
  const auto module = moduleOf("ENTRY e { ROOT p = f32[4] parameter(0), sharding={devices=[2,2]0,1,2,3} }");
  EXPECT_TRUE(hasErrors(verifyModule(*module)));
  EXPECT_TRUE(requireVerified(*module));
}

TEST(RequireVerified, PlacesCountFromTheFilesLine) {
  OpenedFile file{.path = "all.hlo", .firstLine = 11};
  const Diagnostic placed = placedIn(file, {.place = {.line = 3, .column = 2}});
  EXPECT_EQ(placed.place.file, "all.hlo");
  EXPECT_EQ(placed.place.line, 13u);
  EXPECT_EQ(placedIn(file, {.kind = "unknown-device"}).place.file, "");
}

// Whatever runs, estimates or changes a module asks first.
TEST(RequireVerified, IsAskedByAll) {
  const std::shared_ptr<const Module> module = moduleOf(kIllFormed);
  const auto cost = costOfModule(*module, "h100", "", "");
  const auto memory = planMemory(module, nullptr, {});
  const auto live = liveBytesOf(module);
  const auto schedule = scheduleModule({.module = module, .scenario = {.preset = "gpu"}}, JobContext());
  const auto passes = optimize({.module = module, .pipeline = "simplify"}, JobContext());
  ASSERT_FALSE(cost || memory || live || schedule || passes);
  for (const Diagnostic& why : {cost.error(), memory.error(), live.error(), schedule.error(), passes.error()})
    EXPECT_EQ(why.kind, "dimension-out-of-range");
  const Diagnostics reference = whyNotRunnable(*module, "reference");
  ASSERT_EQ(reference.size(), 1u);
  EXPECT_EQ(reference[0].kind, "dimension-out-of-range");
}

}  // namespace
}  // namespace hilo
