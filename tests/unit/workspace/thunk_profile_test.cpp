// Measured times as a profile.
#include "core/workspace/thunks/thunk_profile.h"

#include <gtest/gtest.h>

#include "core/workspace/schedule/schedule.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

// `s` runs in two thunks, `n` twice in one; nothing is known of the third.
TEST(ThunkProfile, HasTheTimeOfEachInstructionOnce) {
  const auto module = moduleOf(R"(ENTRY e { p = f32[8] parameter(0)
  s = f32[8] add(p, p)
  n = f32[8] negate(s)
  ROOT r = f32[8] abs(n) })");
  const auto id = [&](const char* name) { return module->findInstruction(name)->id(); };
  ThunkStudy study;
  study.thunks.resize(4);
  study.thunks[0] = {.name = "s", .instructions = {id("s")}, .measuredNs = 1500};
  study.thunks[1] = {.name = "s.1", .instructions = {id("s")}, .measuredNs = 250};
  study.thunks[2] = {.name = "n", .instructions = {id("n")}, .measuredNs = 8000};
  study.thunks[3] = {.name = "r", .instructions = {id("r")}};
  study.timeline = {{.thunk = 0}, {.thunk = 1}, {.thunk = 2}, {.thunk = 2}};
  const auto text = profileText(study, *module);
  ASSERT_TRUE(text) << toString(text.error());
  EXPECT_EQ(*text, "s,1.750\nn,4.000\n");

  const auto cost = costOfModule(*module, "h100", *text, "measured");
  ASSERT_TRUE(cost) << toString(cost.error());
  EXPECT_EQ(cost->rows[0].bound, "measured");
  EXPECT_EQ(cost->rows[0].ns, 4000);
  EXPECT_GT(cost->rows[0].estimatedNs, 0);
  EXPECT_NE(cost->rows[0].estimatedNs, 4000);

  study.thunks.resize(1);
  study.thunks[0].measuredNs = -1;
  study.timeline.clear();
  EXPECT_EQ(profileText(study, *module).error().kind, "no-thunk-times");
}

}  // namespace
}  // namespace hilo
