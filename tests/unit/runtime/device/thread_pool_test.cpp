// Threads that help: every piece is done once, whoever does it; a thread that is woken comes to a processor
// of its own.
#include "core/runtime/device/host/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace hilo {
namespace {

using std::chrono::steady_clock;

TEST(ThreadPool, DoesEachPartOnceInPiecesOfOneSize) {
  ThreadPool threads(3);
  for (const int64_t count : {1, 2, 5, 12, 13, 100, 4097}) {
    for (const int64_t grain : {1, 3, 40}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(count));
      std::mutex mutex;
      std::vector<int64_t> sizes;
      threads.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
        const std::lock_guard lock(mutex);
        sizes.push_back(end - begin);
      });
      EXPECT_TRUE(std::ranges::all_of(done, [](const auto& times) { return times == 1; }))
          << count << " by " << grain;
      EXPECT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 1) << count << " by " << grain;
      EXPECT_GE(std::ranges::min(sizes), std::min(count, grain));
    }
  }
}

TEST(ThreadPool, SeveralShareWorkAtOnce) {
  ThreadPool threads(usableProcessors());
  std::atomic<int64_t> sum = 0;
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 500; ++loop) {
        threads.parallelFor(64, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
        if (loop % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  callers.clear();
  EXPECT_EQ(sum, 4 * 500 * 64);
}

// Small work in a row is worth waking a thread for, the same now and then is not.
TEST(ThreadPool, SmallWorkInARowIsWorthSharing) {
  ThreadPool threads(2);
  const auto letSleep = [&] {
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (threads.isAwake());
  };
  for (int i = 0; i < 10; ++i) {
    letSleep();
    EXPECT_FALSE(threads.isWorthSharing(15'000));
  }
  letSleep();
  EXPECT_TRUE(threads.isWorthSharing(1'000'000));
  bool became = false;
  for (int i = 0; i < 1000 && !became; ++i) became = threads.isWorthSharing(15'000);
  EXPECT_TRUE(became);
}

void moveTo(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  ASSERT_EQ(sched_setaffinity(0, sizeof(only), &only), 0);
}

// On which processor help begins that a caller on `processor` asks for when all threads sleep. The caller
// does not yield: who comes to its processor comes when it gives up.
int helpedOn(ThreadPool& threads, int processor) {
  moveTo(processor);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (threads.isAwake());
  const auto began = std::make_shared<std::atomic<int>>(-1);
  threads.offer([began] { *began = sched_getcpu(); }, 1);
  const auto end = steady_clock::now() + std::chrono::seconds(10);
  while (*began < 0 && steady_clock::now() < end) {
  }
  return *began;
}

TEST(ThreadPool, AWokenThreadComesToAnotherProcessor) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof(usable), &usable), 0);
  const int count = CPU_COUNT(&usable);
  if (count < 2) GTEST_SKIP() << "there is one processor";
  ThreadPool threads(count);
  for (int turn = 0; turn < 20; ++turn) {
    for (int processor = 0, seen = 0; processor < CPU_SETSIZE && seen < 4; ++processor) {
      if (!CPU_ISSET(processor, &usable)) continue;
      ++seen;
      const int helper = helpedOn(threads, processor);
      EXPECT_GE(helper, 0) << "nobody came";
      EXPECT_NE(helper, processor);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(usable), &usable), 0);
}

}  // namespace
}  // namespace hilo
