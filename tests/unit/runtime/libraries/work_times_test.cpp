// CUPTI's records, of a library of the tests' own (fake_cupti.cpp).
#include "core/runtime/libraries/work_times.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/libraries/host_stream.h"

namespace hilo {
namespace {

Status nothing() { return {}; }

TEST(WorkTimes, AreFromTheFirstToTheLastOfAMark) {
  const auto times = WorkTimes::start(kFakes);
  ASSERT_TRUE(times) << toString(times.error());
  ASSERT_TRUE((*times)->mark(7, nothing));
  ASSERT_TRUE((*times)->mark(8, nothing));
  const auto spans = (*times)->spans();
  ASSERT_TRUE(spans) << toString(spans.error());
  ASSERT_EQ(spans->size(), 2u);
  EXPECT_EQ(spans->at(7).endNs - spans->at(7).startNs, 300);
  EXPECT_EQ(spans->at(8).startNs - spans->at(7).startNs, 1000);
}

TEST(WorkTimes, OfWhatMarksOthersAreTheirs) {
  const auto times = WorkTimes::start(kFakes);
  ASSERT_TRUE(times);
  ASSERT_TRUE((*times)->mark(1, [&] { return (*times)->mark(2, nothing); }));
  const auto spans = (*times)->spans();
  ASSERT_TRUE(spans);
  EXPECT_FALSE(spans->contains(1));
  EXPECT_TRUE(spans->contains(2));
}

TEST(WorkTimes, OfTwoRunsAreKeptApart) {
  const auto one = WorkTimes::start(kFakes);
  const auto other = WorkTimes::start(kFakes);
  ASSERT_TRUE(one && other);
  ASSERT_TRUE((*one)->mark(1, nothing));
  ASSERT_TRUE((*other)->mark(2, nothing));
  EXPECT_EQ((*one)->spans()->size(), 1u);
  EXPECT_TRUE((*one)->spans()->contains(1));
  EXPECT_TRUE((*other)->spans()->contains(2));
}

TEST(WorkTimes, FailureOfTheWorkIsGivenOn) {
  const auto times = WorkTimes::start(kFakes);
  ASSERT_TRUE(times);
  const Status done = (*times)->mark(1, [] { return Status(fail("illegal-address", "it is")); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, "illegal-address");
  EXPECT_TRUE((*times)->mark(2, nothing)) << "the mark was taken back";
}

TEST(WorkTimes, WithoutCuptiAreNotStarted) {
  const auto times = WorkTimes::start({.folders = {}, .asksSystem = false});
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().kind, "missing-library");
}

// The library of this machine, where it is: it has the functions.
TEST(WorkTimes, OfThisMachineStartOrSayWhyNot) {
  const auto times = WorkTimes::start(librarySearchHere());
  if (times) return;
  EXPECT_TRUE(times.error().kind == "missing-library" || times.error().kind == "library-failed")
      << toString(times.error());
}

}  // namespace
}  // namespace hilo
