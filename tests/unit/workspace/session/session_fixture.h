// A session without a window: replies wait until the test lets them in, as they wait in an event loop.
#pragma once

#include <gtest/gtest.h>

#include <mutex>

#include "core/workspace/open/opened.h"
#include "core/workspace/session/session.h"

namespace hilo {

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    jobs_.setPoster([this](std::function<void()> reply) {
      const std::lock_guard lock(mutex_);
      replies_.push_back(std::move(reply));
    });
    session_ = std::make_unique<Session>(jobs_, ":memory:");
    session_->setListener([this](const SessionEvent& event) { events_.push_back(event); });
  }

  // Until no job is queued or running and no reply waits.
  void settle() {
    do jobs_.waitIdle();
    while (drain());
  }
  bool drain() {
    std::vector<std::function<void()>> replies;
    {
      const std::lock_guard lock(mutex_);
      replies.swap(replies_);
    }
    for (auto& reply : replies) reply();
    return !replies.empty();
  }
  // Of a small module that no file holds; it is closed by nothing.
  SnapshotId addModule() {
    const auto file = openBytes("HloModule m\nENTRY e {\n  ROOT p = f32[8]{0} parameter(0)\n}\n", "m.hlo");
    EXPECT_TRUE(file);
    return session_->snapshotOf((*file)->module, "m");
  }
  template <typename Event>
  std::vector<Event> all() const {
    std::vector<Event> found;
    for (const SessionEvent& event : events_) {
      if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
    }
    return found;
  }
  size_t jobsCalled(std::string_view title) const {
    const std::vector<JobInfo> jobs = jobs_.jobs();
    return static_cast<size_t>(std::ranges::count(jobs, title, &JobInfo::title));
  }

  std::mutex mutex_;
  std::vector<std::function<void()>> replies_;
  std::vector<SessionEvent> events_;
  JobQueue jobs_{1};
  std::unique_ptr<Session> session_;
};

}  // namespace hilo
