#include "core/hlo/ir/rendezvous.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>
#include <thread>

namespace hilo {
namespace {

using testing::ElementsAre;

using Exchange = Rendezvous<int>;

std::vector<int> one(int value) { return {value}; }

// Runs body(device) on a thread a device; each finishes, or stops the others with its error.
template <typename F>
void onDevices(Exchange& rendezvous, F&& body) {
  std::vector<std::jthread> threads;
  for (int64_t device = 0; device < rendezvous.grid().count(); ++device) {
    threads.emplace_back([&rendezvous, &body, device] {
      const Status done = body(device);
      done ? rendezvous.finish(device) : rendezvous.stop(done.error());
    });
  }
}

TEST(Rendezvous, GivesWhatEveryMemberBroughtInTheGroupsOrder) {
  Exchange rendezvous({4, 1});
  const std::vector<int64_t> group = {2, 0, 3, 1};
  std::atomic<int> right = 0;
  onDevices(rendezvous, [&](int64_t device) -> Status {
    for (int turn = 0; turn < 500; ++turn) {
      TRY(const auto exchange,
          rendezvous.bring(device, {.group = group}, one(static_cast<int>(device) * 10 + turn % 10)));
      TRY_STATUS(rendezvous.await(device, *exchange, {.text = "here"}));
      bool same = true;
      for (size_t i = 0; i < group.size(); ++i)
        same &= exchange->contributions[i] == one(static_cast<int>(group[i]) * 10 + turn % 10);
      right += same ? 1 : 0;
    }
    return {};
  });
  EXPECT_FALSE(rendezvous.stopped());
  EXPECT_EQ(right, 2000);
}

TEST(Rendezvous, BringingDoesNotWait) {
  Exchange rendezvous({2, 1});
  onDevices(rendezvous, [&](int64_t device) -> Status {
    // Both bring to a and b, in different orders, before they wait for either.
    const Exchange::Key a{.channel = 1, .group = {0, 1}}, b{.channel = 2, .group = {0, 1}};
    TRY(const auto first, rendezvous.bring(device, device == 0 ? a : b, one(1)));
    TRY(const auto second, rendezvous.bring(device, device == 0 ? b : a, one(2)));
    TRY_STATUS(rendezvous.await(device, *first, {.text = "first"}));
    return rendezvous.await(device, *second, {.text = "second"});
  });
  EXPECT_FALSE(rendezvous.stopped());
}

TEST(Rendezvous, NamesWhoWaitsForWhom) {
  Exchange rendezvous({3, 1});
  onDevices(rendezvous, [&](int64_t device) -> Status {
    if (device == 2) return {};
    if (device == 1) {
      TRY(const auto received,
          rendezvous.receive(1, {.source = 0, .target = 1}, {.text = "recv-done.1 (recv-done)"}));
      return {};
    }
    TRY(const auto exchange, rendezvous.bring(device, {.group = {0, 1, 2}}, one(0)));
    return rendezvous.await(device, *exchange, {.text = "all-reduce.1 (all-reduce)"});
  });
  ASSERT_TRUE(rendezvous.stopped());
  const Diagnostic failure = rendezvous.failure();
  EXPECT_EQ(failure.kind, "deadlock");
  EXPECT_EQ(failure.message, "2 of 3 devices wait for what will not come");
  EXPECT_THAT(
      failure.notes,
      ElementsAre("device 0 (replica 0, partition 0) waits at all-reduce.1 (all-reduce) for devices 1, 2",
                  "device 1 (replica 1, partition 0) waits at recv-done.1 (recv-done) for device 0",
                  "device 2 (replica 2, partition 0) has finished"));
}

TEST(Rendezvous, SendsKeepTheirOrderAndTheirLimit) {
  Exchange rendezvous({2, 1}, {.unreceivedLimitBytes = 100});
  onDevices(rendezvous, [&](int64_t device) -> Status {
    for (int i = 0; i < 50; ++i) {
      if (device == 0) TRY_STATUS(rendezvous.send({.channel = 3}, one(i), 1));
    }
    for (int i = 0; i < 50 && device == 1; ++i) {
      TRY(const auto received, rendezvous.receive(1, {.channel = 3}, {.text = "recv"}));
      if (received != one(i)) return fail("wrong-order", fmt::format("{}", i));
    }
    return {};
  });
  EXPECT_FALSE(rendezvous.stopped());
  EXPECT_EQ(rendezvous.send({.channel = 4}, one(0), 101).error().kind, "out-of-memory");
}

// Device 1 is busy until the others gave up.
TEST(Rendezvous, AWaitBeyondTheLimitTellsWhoCameAndWhoDidNot) {
  Exchange rendezvous({3, 1}, {.waitLimit = std::chrono::milliseconds(1)});
  onDevices(rendezvous, [&](int64_t device) -> Status {
    while (device == 1 && !rendezvous.stopped()) std::this_thread::yield();
    if (device == 1) return {};
    TRY(const auto exchange, rendezvous.bring(device, {.group = {0, 1, 2}}, one(0)));
    return rendezvous.await(device, *exchange, {.text = "all-reduce.1 (all-reduce)"});
  });
  const Diagnostic failure = rendezvous.failure();
  EXPECT_EQ(failure.kind, "rendezvous-timeout");
  ASSERT_EQ(failure.notes.size(), 3u);
  EXPECT_EQ(failure.notes[1], "device 1 (replica 1, partition 0) has not come: it is at work elsewhere");
  EXPECT_THAT(failure.notes, testing::Contains(testing::HasSubstr("waits at all-reduce.1 (all-reduce) for")));
}

TEST(Rendezvous, CancelAndErrorsEndTheWaitOfAll) {
  for (const bool cancels : {true, false}) {
    CancelToken cancel;
    Exchange rendezvous({2, 1}, {.cancel = cancel});
    std::jthread waiter([&] {
      const auto exchange = rendezvous.bring(0, {.group = {0, 1}}, one(0));
      EXPECT_EQ(rendezvous.await(0, **exchange, {.text = "here"}).error().kind,
                cancels ? "cancelled" : "broken");
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    cancels ? cancel.cancel() : rendezvous.stop({.kind = "broken", .message = "it broke"});
  }
}

}  // namespace
}  // namespace hilo
