#include "core/runtime/trace/thunk_times.h"

#include <gtest/gtest.h>

#include "core/runtime/program/program.h"
#include "core/runtime/trace/thunk_trace.h"

namespace hilo {
namespace {

// A loop of one sequence, whose body is the other.
Program loopProgram() {
  Program program;
  program.sequences.resize(2);
  program.sequences[0].push_back({.name = "loop", .instruction = 7, .body = CopyThunk{}});
  program.sequences[0].push_back({.name = "never", .instruction = 8, .body = CopyThunk{}});
  program.sequences[1].push_back({.name = "inside", .instruction = 3, .body = CopyThunk{}});
  return program;
}

ThunkEvent event(uint32_t sequence, uint32_t thunk, int64_t durationNs, uint32_t device = 0) {
  return {.device = device, .sequence = sequence, .thunk = thunk, .durationNs = durationNs};
}

TEST(ThunkTimes, SumsExecutionsAndDevicesOfOneRun) {
  const std::vector<ThunkEvent> run = {event(1, 0, 10), event(1, 0, 20), event(0, 0, 50), event(0, 0, 60, 1)};
  const auto times = thunkTimes(loopProgram(), {&run, 1});
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].name, "loop");
  EXPECT_EQ(times[0].kind, "copy");
  EXPECT_EQ(times[0].instruction, 7u);
  EXPECT_EQ(times[0].times, 2);
  EXPECT_EQ(times[0].totalNs, 110);
  EXPECT_EQ(times[1].name, "inside");
  EXPECT_EQ(times[1].sequence, 1u);
  EXPECT_EQ(times[1].totalNs, 30);
}

TEST(ThunkTimes, OfSeveralRunsTheMedianCounts) {
  const std::vector<std::vector<ThunkEvent>> runs = {
      {event(1, 0, 900), event(0, 1, 5)}, {event(1, 0, 10), event(1, 0, 12)}, {event(1, 0, 30)}};
  const auto times = thunkTimes(loopProgram(), runs);
  // "never" ran in one of three.
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].totalNs, 30);
  EXPECT_EQ(times[0].times, 1);
}

TEST(ThunkTimes, NoRunsGiveNone) { EXPECT_TRUE(thunkTimes(loopProgram(), {}).empty()); }

}  // namespace
}  // namespace hilo
