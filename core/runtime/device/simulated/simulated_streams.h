// Private to the room: the work that streams of a simulated device were given and have not done, and the
// order in which it is done.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

#include "core/base/result.h"
#include "core/runtime/device/simulated/stream_order.h"

namespace hilo {

// What an event was last recorded as, and what of it was reached.
struct RecordedEvent {
  uint64_t recorded = 0, reached = 0;  // how often
  StreamClock clock;                   // of what comes after it
  std::chrono::steady_clock::time_point at;
};

class SimulatedStreams {
 public:
  explicit SimulatedStreams(std::optional<uint64_t> orderSeed)
      : isSeeded_(orderSeed.has_value()), random_(orderSeed.value_or(0)) {}

  // A number no living stream has.
  uint32_t add();
  void remove(uint32_t stream);

  // Gives the stream work. `begin`, what is done when it begins, is the clock of the stream then; the work's
  // own time is that of the stream after it. Error: that of the first work that failed, whenever it did.
  Status give(uint32_t stream, std::function<Status()> work);
  // Joins what the host waited for, and counts the work that is given next.
  StreamOrder::User next(uint32_t stream, std::string name, StreamClock& before);
  Status record(uint32_t stream, std::shared_ptr<RecordedEvent> event);
  Status waitFor(uint32_t stream, std::shared_ptr<RecordedEvent> event);

  // Does work until none of the stream is left, or the event is reached. Kind "endless-stream".
  Status finish(uint32_t stream);
  Status reach(const RecordedEvent& event);
  // Does one piece of work, if any can be done.
  Status step();
  const Status& failure() const { return failure_; }

  // Of every call.
  std::mutex& mutex() { return mutex_; }

 private:
  struct Work {
    std::function<Status()> run;
    std::shared_ptr<RecordedEvent> awaited;  // done when it was reached so often
    uint64_t times = 0;
  };
  struct Queue {
    bool isLiving = false;
    std::deque<Work> work;
    StreamClock clock;
    uint64_t time = 0;
  };
  Status push(uint32_t stream, Work work);
  std::vector<uint32_t> ready() const;
  bool stepOne();
  Status until(const std::function<bool()>& isOver);

  std::mutex mutex_;
  const bool isSeeded_;
  std::mt19937_64 random_;
  std::deque<Queue> queues_;
  // What the host knows is done: whatever one of its threads waited for, as how threads hand that to each
  // other is not seen.
  StreamClock waited_;
  Status failure_;
};

}  // namespace hilo
