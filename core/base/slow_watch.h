// Tells of work that takes unusually long while it still runs: when it has taken the threshold, twice that,
// four times that and so on, and at last how long it took. As XLA's service/slow_operation_alarm, which tells
// once in a power of two of times.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>

namespace hilo {

// Where one is told of it, on another thread than the work's. Must outlive the work.
using TellSlow = std::function<void(const std::string& text)>;

class SlowWatch {
 public:
  // Nanoseconds from any beginning, never backwards. Whoever makes a watch looks at it.
  SlowWatch(std::function<int64_t()> clock, int64_t thresholdNs)
      : clock_(std::move(clock)), thresholdNs_(thresholdNs) {}
  SlowWatch(const SlowWatch&) = delete;

  // The process's own, of ten seconds, looked at by a thread that is started when it is first asked for.
  static SlowWatch& ofProcess();
  // Told of everything besides whom work tells itself; null: nobody. Set before work begins.
  void setListener(TellSlow listener);

  // Tells what is due; gives when the next will be, INT64_MAX for never.
  int64_t look();

  // While it lives the work runs. Any thread.
  class Work {
   public:
    // `what` reads as the subject of a sentence: "the pass algebraic-simplifier".
    Work(SlowWatch& watch, std::string what, const TellSlow& tell);
    ~Work();
    Work(const Work&) = delete;

   private:
    friend class SlowWatch;
    SlowWatch& watch_;
    const std::string what_;
    const TellSlow& tell_;
    int64_t startNs_, dueNs_;  // when it will be told of next
    std::list<Work*>::iterator place_;
  };

 private:
  int64_t lookLocked();
  void tell(const Work& work, const std::string& text) const;

  const std::function<int64_t()> clock_;
  const int64_t thresholdNs_;
  std::mutex mutex_;
  TellSlow listener_;
  std::list<Work*> running_;
  int64_t nextDueNs_ = INT64_MAX;  // as it was last seen
  std::function<void()> wake_;     // whoever looks
};

}  // namespace hilo
