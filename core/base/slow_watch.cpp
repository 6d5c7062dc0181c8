#include "core/base/slow_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <thread>

namespace hilo {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kThresholdNs = 10'000'000'000;

int64_t steadyNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string seconds(int64_t ns) { return fmt::format("{:.0f} s", static_cast<double>(ns) / 1e9); }

}  // namespace

// Never ended: the process may end while work runs, as the thread that looks does then.
SlowWatch& SlowWatch::ofProcess() {
  static SlowWatch& watch = *[] {
    auto* made = new SlowWatch(steadyNs, kThresholdNs);
    auto* wake = new std::condition_variable;
    made->wake_ = [wake] { wake->notify_one(); };
    std::thread([made, wake] {
      std::unique_lock lock(made->mutex_);
      for (;;) {
        const int64_t due = made->lookLocked();
        if (due == kNever) {
          wake->wait(lock);
        } else {
          wake->wait_for(lock, std::chrono::nanoseconds(std::max<int64_t>(0, due - steadyNs())));
        }
      }
    }).detach();
    return made;
  }();
  return watch;
}

void SlowWatch::setListener(TellSlow listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

void SlowWatch::tell(const Work& work, const std::string& text) const {
  if (work.tell_) work.tell_(text);
  if (listener_) listener_(text);
}

int64_t SlowWatch::look() {
  const std::lock_guard lock(mutex_);
  return lookLocked();
}

// What was not looked at in time is told of once.
int64_t SlowWatch::lookLocked() {
  const int64_t now = clock_();
  nextDueNs_ = kNever;
  for (Work* work : running_) {
    if (now >= work->dueNs_) {
      tell(*work, fmt::format("{} has taken {} so far", work->what_, seconds(now - work->startNs_)));
      while (work->dueNs_ <= now) work->dueNs_ = work->startNs_ + 2 * (work->dueNs_ - work->startNs_);
    }
    nextDueNs_ = std::min(nextDueNs_, work->dueNs_);
  }
  return nextDueNs_;
}

SlowWatch::Work::Work(SlowWatch& watch, std::string what, const TellSlow& tell)
    : watch_(watch), what_(std::move(what)), tell_(tell) {
  const std::lock_guard lock(watch.mutex_);
  startNs_ = watch.clock_();
  dueNs_ = startNs_ + watch.thresholdNs_;
  place_ = watch.running_.insert(watch.running_.end(), this);
  if (dueNs_ < watch.nextDueNs_ && watch.wake_) watch.wake_();
}

SlowWatch::Work::~Work() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.running_.erase(place_);
  const bool wasTold = dueNs_ > startNs_ + watch_.thresholdNs_;
  if (wasTold) watch_.tell(*this, fmt::format("{} took {}", what_, seconds(watch_.clock_() - startNs_)));
}

}  // namespace hilo
