// When each thunk of a run was executed, and by which thread: what timelines and per-thunk times are made of.
// Each thread writes into a lane of its own, without a lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace hilo {

// Nested thunks are listed too, each time they run; a thunk that runs others takes as long as they do.
struct ThunkEvent {
  uint32_t device = 0, thread = 0;      // thread: from 0, in the order threads came to this trace
  uint32_t sequence = 0, thunk = 0;     // places in the program
  int64_t startNs = 0, durationNs = 0;  // start: since the trace was made
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("device", self.device);
    v("thread", self.thread);
    v("sequence", self.sequence);
    v("thunk", self.thunk);
    v("start", self.startNs);
    v("duration", self.durationNs);
  }
};

class ThunkTrace {
 public:
  // Of one thread. Past kMostEvents they are counted and not kept.
  static constexpr size_t kMostEvents = size_t{1} << 20;
  class Lane {
   public:
    explicit Lane(uint32_t thread) : thread_(thread) {}
    void add(ThunkEvent event) {
      event.thread = thread_;
      events_.size() < kMostEvents ? events_.push_back(event) : void(++dropped_);
    }

   private:
    friend class ThunkTrace;
    uint32_t thread_;
    std::vector<ThunkEvent> events_;
    int64_t dropped_ = 0;
  };

  ThunkTrace() : begin_(std::chrono::steady_clock::now()) {}

  // The calling thread's. Lives as long as the trace.
  Lane& lane();
  // Of what no thread ran itself: the event has its lane. Any thread.
  void add(const ThunkEvent& event);
  int64_t nowNs() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

  // By start. Only while nothing is running.
  std::vector<ThunkEvent> events() const;
  int64_t dropped() const;

 private:
  const std::chrono::steady_clock::time_point begin_;
  mutable std::mutex mutex_;
  std::deque<std::pair<std::thread::id, Lane>> lanes_;
  std::vector<ThunkEvent> added_;
  int64_t droppedOfAdded_ = 0;
};

}  // namespace hilo
