#include "core/runtime/collectives/communicator.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>
#include <thread>

namespace hilo {
namespace {

using testing::ElementsAre;

std::vector<Bytes> one(int value) { return {{static_cast<std::byte>(value)}}; }

// Runs body(device) on a thread a device; each finishes, or stops the others with its error.
template <typename F>
void onDevices(Communicator& communicator, F&& body) {
  std::vector<std::jthread> threads;
  for (int64_t device = 0; device < communicator.grid().count(); ++device) {
    threads.emplace_back([&communicator, &body, device] {
      const Status done = body(device);
      done ? communicator.finish(device) : communicator.stop(done.error());
    });
  }
}

TEST(Communicator, GivesWhatEveryMemberBroughtInTheGroupsOrder) {
  Communicator communicator({4, 1});
  const std::vector<int64_t> group = {2, 0, 3, 1};
  std::atomic<int> right = 0;
  onDevices(communicator, [&](int64_t device) -> Status {
    for (int turn = 0; turn < 500; ++turn) {
      TRY(const auto meeting,
          communicator.bring(device, {.group = group}, one(static_cast<int>(device) * 10 + turn % 10)));
      TRY_STATUS(communicator.await(device, *meeting, "here"));
      bool same = true;
      for (size_t i = 0; i < group.size(); ++i)
        same &= meeting->contributions[i] == one(static_cast<int>(group[i]) * 10 + turn % 10);
      right += same ? 1 : 0;
    }
    return {};
  });
  EXPECT_FALSE(communicator.stopped());
  EXPECT_EQ(right, 2000);
}

TEST(Communicator, BringingDoesNotWait) {
  Communicator communicator({2, 1});
  onDevices(communicator, [&](int64_t device) -> Status {
    // Both bring to a and b, in different orders, before they wait for either.
    const Communicator::Key a{.channel = 1, .group = {0, 1}}, b{.channel = 2, .group = {0, 1}};
    TRY(const auto first, communicator.bring(device, device == 0 ? a : b, one(1)));
    TRY(const auto second, communicator.bring(device, device == 0 ? b : a, one(2)));
    TRY_STATUS(communicator.await(device, *first, "first"));
    return communicator.await(device, *second, "second");
  });
  EXPECT_FALSE(communicator.stopped());
}

TEST(Communicator, NamesWhoWaitsForWhom) {
  Communicator communicator({3, 1});
  onDevices(communicator, [&](int64_t device) -> Status {
    if (device == 2) return {};
    if (device == 1) {
      TRY(const auto mail, communicator.receive(1, {.source = 0, .target = 1}, "recv-done.1 (recv-done)"));
      return {};
    }
    TRY(const auto meeting, communicator.bring(device, {.group = {0, 1, 2}}, one(0)));
    return communicator.await(device, *meeting, "all-reduce.1 (all-reduce)");
  });
  ASSERT_TRUE(communicator.stopped());
  const Diagnostic failure = communicator.failure();
  EXPECT_EQ(failure.kind, "deadlock");
  EXPECT_EQ(failure.message, "2 of 3 devices wait for what will not come");
  EXPECT_THAT(
      failure.notes,
      ElementsAre("device 0 (replica 0, partition 0) waits at all-reduce.1 (all-reduce) for devices 1, 2",
                  "device 1 (replica 1, partition 0) waits at recv-done.1 (recv-done) for device 0",
                  "device 2 (replica 2, partition 0) has finished"));
}

TEST(Communicator, MailKeepsItsOrderAndItsLimit) {
  Communicator communicator({2, 1}, {}, 100);
  onDevices(communicator, [&](int64_t device) -> Status {
    for (int i = 0; i < 50; ++i) {
      if (device == 0) TRY_STATUS(communicator.send({.channel = 3}, one(i)));
    }
    for (int i = 0; i < 50 && device == 1; ++i) {
      TRY(const auto mail, communicator.receive(1, {.channel = 3}, "recv"));
      if (mail != one(i)) return fail("wrong-order", fmt::format("{}", i));
    }
    return {};
  });
  EXPECT_FALSE(communicator.stopped());
  EXPECT_EQ(communicator.send({.channel = 4}, {Bytes(101)}).error().kind, "out-of-memory");
}

TEST(Communicator, CancelAndErrorsEndTheWaitOfAll) {
  for (const bool cancels : {true, false}) {
    CancelToken cancel;
    Communicator communicator({2, 1}, cancel);
    std::jthread waiter([&] {
      const auto meeting = communicator.bring(0, {.group = {0, 1}}, one(0));
      EXPECT_EQ(communicator.await(0, **meeting, "here").error().kind, cancels ? "cancelled" : "broken");
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    cancels ? cancel.cancel() : communicator.stop({.kind = "broken", .message = "it broke"});
  }
}

}  // namespace
}  // namespace hilo
