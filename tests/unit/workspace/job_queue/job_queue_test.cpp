#include "core/workspace/job_queue.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace hilo {
namespace {

// Replies wait here until the test drains them, as they wait in a window's event loop.
class Mailbox {
 public:
  JobQueue::Poster poster() {
    return [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      letters_.push_back(std::move(function));
    };
  }
  void drain() {
    std::vector<std::function<void()>> letters;
    {
      const std::lock_guard lock(mutex_);
      letters.swap(letters_);
    }
    for (auto& letter : letters) letter();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> letters_;
};

// Work that waits until the test lets it go, or until it is cancelled.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false, open = false;
  void enter(const JobContext& context) {
    std::unique_lock lock(mutex);
    entered = true;
    changed.notify_all();
    while (!open && !context.cancelled()) changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  void waitEntered() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return entered; });
  }
  void release() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

TEST(JobQueue, DeliversTheResultThroughThePoster) {
  Mailbox mailbox;
  JobQueue queue;
  queue.setPoster(mailbox.poster());
  int got = 0;
  queue.submit(
      "answer", "Find the answer", [](JobContext&) -> Result<int> { return 42; },
      [&](Result<int> result) { got = result.value_or(-1); });
  queue.waitIdle();
  EXPECT_EQ(got, 0);
  EXPECT_EQ(queue.jobs()[0].state, JobState::Running) << "its reply is still on its way";
  mailbox.drain();
  EXPECT_EQ(got, 42);
  ASSERT_EQ(queue.jobs().size(), 1u);
  EXPECT_EQ(queue.jobs()[0].state, JobState::Done);
  EXPECT_EQ(queue.jobs()[0].title, "Find the answer");
}

TEST(JobQueue, NewestOfATagWins) {
  Mailbox mailbox;
  JobQueue queue;
  queue.setPoster(mailbox.poster());
  Gate gate;
  std::vector<int> replies;
  const auto submit = [&](int value) {
    queue.submit(
        "layout", "Layout",
        [&gate, value](JobContext& context) -> Result<int> {
          if (value == 1) gate.enter(context);
          return value;
        },
        [&](Result<int> result) { replies.push_back(result.value_or(-1)); });
  };
  submit(1);
  gate.waitEntered();
  submit(2);
  queue.waitIdle();
  submit(3);
  queue.waitIdle();
  // The reply of 2 lies in the mailbox undelivered when 3 takes its place.
  mailbox.drain();
  EXPECT_EQ(replies, std::vector<int>{3});
  EXPECT_EQ(queue.jobs()[0].state, JobState::Cancelled);
}

TEST(JobQueue, OtherTagsAndNoTagAreLeftAlone) {
  JobQueue queue(1);
  std::atomic<int> replies = 0;
  for (const char* tag : {"a", "b", "", ""}) {
    queue.submit(
        tag, "", [](JobContext&) -> Result<void> { return {}; },
        [&](Result<void> r) { replies += r ? 1 : 100; });
  }
  queue.waitIdle();
  EXPECT_EQ(replies, 4);
}

TEST(JobQueue, CancelRepliesWithItsKind) {
  JobQueue queue(1);
  Gate gate;
  std::vector<std::string> kinds;
  const auto reply = [&](Result<int> result) { kinds.push_back(result ? "value" : result.error().kind); };
  const JobId running = queue.submit(
      "", "",
      [&](JobContext& context) -> Result<int> {
        gate.enter(context);
        return 7;
      },
      reply);
  gate.waitEntered();
  const auto eight = [](JobContext&) -> Result<int> { return 8; };
  const JobId waiting = queue.submit("", "", eight, reply);
  queue.cancel(waiting);
  queue.cancel(running);
  queue.waitIdle();
  EXPECT_EQ(kinds, (std::vector<std::string>{"cancelled", "cancelled"}));
  for (const JobInfo& job : queue.jobs()) EXPECT_EQ(job.state, JobState::Cancelled);
}

TEST(JobQueue, DropsRepliesOfAScopeThatIsGone) {
  Mailbox mailbox;
  JobQueue queue;
  queue.setPoster(mailbox.poster());
  bool replied = false, otherReplied = false;
  auto view = std::make_unique<JobScope>();
  queue.submit(
      "", "", [](JobContext&) -> Result<int> { return 1; }, [&](Result<int>) { replied = true; }, view.get());
  queue.submit(
      "", "", [](JobContext&) -> Result<int> { return 1; }, [&](Result<int>) { otherReplied = true; });
  queue.waitIdle();
  view.reset();
  mailbox.drain();
  EXPECT_FALSE(replied);
  EXPECT_TRUE(otherReplied);
}

TEST(JobQueue, ShowsProgressAndFailure) {
  JobQueue queue(1);
  Gate gate;
  std::atomic<int> changes = 0;
  queue.setListener([&] { ++changes; });
  queue.submit(
      "", "",
      [&](JobContext& context) -> Result<int> {
        context.progress(0.5, "halfway");
        gate.enter(context);
        return fail("broken-input", "no good");
      },
      [](Result<int> result) { EXPECT_EQ(result.error().kind, "broken-input"); });
  gate.waitEntered();
  EXPECT_EQ(queue.jobs()[0].state, JobState::Running);
  EXPECT_EQ(queue.jobs()[0].fraction, 0.5);
  EXPECT_EQ(queue.jobs()[0].text, "halfway");
  gate.release();
  queue.waitIdle();
  EXPECT_EQ(queue.jobs()[0].state, JobState::Failed);
  EXPECT_EQ(queue.jobs()[0].text, "no good");
  EXPECT_GE(changes, 1);
}

TEST(JobQueue, EndingTheQueueCancelsAndDeliversNothing) {
  Mailbox mailbox;
  bool replied = false;
  {
    JobQueue queue(1);
    queue.setPoster(mailbox.poster());
    auto gate = std::make_shared<Gate>();
    queue.submit(
        "", "",
        [gate](JobContext& context) -> Result<int> {
          gate->enter(context);
          return 1;
        },
        [&](Result<int>) { replied = true; });
    const auto two = [](JobContext&) -> Result<int> { return 2; };
    queue.submit("", "", two, [&](Result<int>) { replied = true; });
    gate->waitEntered();
  }
  mailbox.drain();
  EXPECT_FALSE(replied);
}

TEST(JobQueue, ManyThreadsMaySubmitAndCancel) {
  JobQueue queue(2);
  std::atomic<int> delivered = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const JobId id = queue.submit(
            "", "",
            [](JobContext& c) -> Result<int> {
              c.progress(0.1);
              return 1;
            },
            [&](Result<int>) { ++delivered; });
        if (i % 3 == 0) queue.cancel(id);
        if (i % 10 == 0) queue.jobs();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue.waitIdle();
  EXPECT_EQ(delivered, 200);
}

TEST(JobQueue, APromptJobDoesNotWaitBehindLongOnes) {
  JobQueue queue(1);
  Gate gate;
  bool isAnswered = false;
  std::mutex mutex;
  std::condition_variable answered;
  const auto work = [&](JobContext& context) -> Result<int> {
    gate.enter(context);
    return 1;
  };
  queue.submit("", "long", work, [](Result<int>) {});
  queue.submit("", "long, behind it", work, [](Result<int>) {});
  gate.waitEntered();
  queue.submit(
      "", "prompt", [](JobContext&) -> Result<int> { return 2; },
      [&](Result<int>) {
        const std::lock_guard lock(mutex);
        isAnswered = true;
        answered.notify_all();
      },
      nullptr, JobLane::Prompt);
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(answered.wait_for(lock, std::chrono::seconds(20), [&] { return isAnswered; }));
  }
  EXPECT_EQ(queue.jobs()[1].state, JobState::Queued);
  gate.release();
  queue.waitIdle();
}

}  // namespace
}  // namespace hilo
