#include "core/runtime/trace/thunk_trace.h"

#include <algorithm>
#include <tuple>

namespace hilo {

ThunkTrace::Lane& ThunkTrace::lane() {
  const std::lock_guard lock(mutex_);
  const auto self = std::this_thread::get_id();
  for (auto& [thread, lane] : lanes_) {
    if (thread == self) return lane;
  }
  return lanes_.emplace_back(self, Lane(static_cast<uint32_t>(lanes_.size()))).second;
}

void ThunkTrace::add(const ThunkEvent& event) {
  const std::lock_guard lock(mutex_);
  added_.size() < kMostEvents ? added_.push_back(event) : void(++droppedOfAdded_);
}

std::vector<ThunkEvent> ThunkTrace::events() const {
  const std::lock_guard lock(mutex_);
  std::vector<ThunkEvent> all = added_;
  for (const auto& [thread, lane] : lanes_) all.insert(all.end(), lane.events_.begin(), lane.events_.end());
  std::ranges::sort(all, {},
                    [](const ThunkEvent& e) { return std::tuple(e.startNs, e.thread, e.sequence, e.thunk); });
  return all;
}

int64_t ThunkTrace::dropped() const {
  const std::lock_guard lock(mutex_);
  int64_t dropped = droppedOfAdded_;
  for (const auto& [thread, lane] : lanes_) dropped += lane.dropped_;
  return dropped;
}

}  // namespace hilo
