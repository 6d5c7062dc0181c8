#include "core/runtime/trace/thunk_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hilo {
namespace {

TEST(ThunkTrace, GivesEachThreadALaneAndSortsByStart) {
  ThunkTrace trace;
  const auto addThree = [&trace](uint32_t device) {
    ThunkTrace::Lane& lane = trace.lane();
    for (uint32_t i = 0; i < 3; ++i)
      lane.add({.device = device, .thunk = i, .startNs = trace.nowNs(), .durationNs = 1});
  };
  std::thread other(addThree, 1);
  addThree(0);
  other.join();
  EXPECT_EQ(&trace.lane(), &trace.lane());
  const auto events = trace.events();
  ASSERT_EQ(events.size(), 6u);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &ThunkEvent::startNs));
  for (const ThunkEvent& a : events) {
    for (const ThunkEvent& b : events) EXPECT_EQ(a.thread == b.thread, a.device == b.device);
  }
}

TEST(ThunkTrace, CountsWhatItDoesNotKeep) {
  ThunkTrace trace;
  for (size_t i = 0; i < ThunkTrace::kMostEvents + 5; ++i) trace.lane().add({});
  EXPECT_EQ(trace.events().size(), ThunkTrace::kMostEvents);
  EXPECT_EQ(trace.dropped(), 5);
}

}  // namespace
}  // namespace hilo
