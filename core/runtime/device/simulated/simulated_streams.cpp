#include "core/runtime/device/simulated/simulated_streams.h"

#include <algorithm>

namespace hilo {

uint32_t SimulatedStreams::add() {
  auto free = std::ranges::find(queues_, false, &Queue::isLiving);
  if (free == queues_.end()) free = queues_.emplace(queues_.end());
  free->isLiving = true;
  return static_cast<uint32_t>(free - queues_.begin());
}

// Its work is still done.
void SimulatedStreams::remove(uint32_t stream) {
  (void)finish(stream);
  queues_[stream].work.clear();
  queues_[stream].isLiving = false;
}

StreamOrder::User SimulatedStreams::next(uint32_t stream, std::string name, StreamClock& before) {
  Queue& queue = queues_[stream];
  queue.clock.join(waited_);
  before = queue.clock;
  queue.clock.set(stream, ++queue.time);
  return {.stream = stream, .time = queue.time, .name = std::move(name)};
}

Status SimulatedStreams::give(uint32_t stream, std::function<Status()> work) {
  return push(stream, {.run = std::move(work), .awaited = nullptr});
}

Status SimulatedStreams::record(uint32_t stream, std::shared_ptr<RecordedEvent> event) {
  event->clock = queues_[stream].clock;
  const uint64_t times = ++event->recorded;
  const auto reach = [event, times]() -> Status {
    event->reached = std::max(event->reached, times);
    event->at = std::chrono::steady_clock::now();
    return {};
  };
  return push(stream, {.run = reach, .awaited = nullptr});
}

Status SimulatedStreams::waitFor(uint32_t stream, std::shared_ptr<RecordedEvent> event) {
  queues_[stream].clock.join(event->clock);
  const uint64_t times = event->recorded;
  return push(stream, {.run = [] { return Status(); }, .awaited = std::move(event), .times = times});
}

Status SimulatedStreams::push(uint32_t stream, Work work) {
  if (!failure_) return failure_;
  queues_[stream].work.push_back(std::move(work));
  while (!isSeeded_ && stepOne()) {
  }
  return failure_;
}

std::vector<uint32_t> SimulatedStreams::ready() const {
  std::vector<uint32_t> ready;
  for (uint32_t s = 0; s < queues_.size(); ++s) {
    if (queues_[s].work.empty()) continue;
    const Work& first = queues_[s].work.front();
    if (first.awaited == nullptr || first.awaited->reached >= first.times) ready.push_back(s);
  }
  return ready;
}

bool SimulatedStreams::stepOne() {
  const std::vector<uint32_t> streams = ready();
  if (streams.empty() || !failure_) return false;
  Queue& queue = queues_[streams[isSeeded_ ? random_() % streams.size() : 0]];
  const Work work = std::move(queue.work.front());
  queue.work.pop_front();
  failure_ = work.run();
  return failure_.has_value();
}

Status SimulatedStreams::step() {
  stepOne();
  return failure_;
}

Status SimulatedStreams::until(const std::function<bool()>& isOver) {
  while (failure_ && !isOver()) {
    if (!stepOne() && failure_)
      failure_ = fail("endless-stream", "all work that is left waits for events that nothing records");
  }
  return failure_;
}

Status SimulatedStreams::finish(uint32_t stream) {
  TRY_STATUS(until([&] { return queues_[stream].work.empty(); }));
  waited_.join(queues_[stream].clock);
  return {};
}

Status SimulatedStreams::reach(const RecordedEvent& event) {
  TRY_STATUS(until([&] { return event.reached >= event.recorded; }));
  waited_.join(event.clock);
  return {};
}

}  // namespace hilo
