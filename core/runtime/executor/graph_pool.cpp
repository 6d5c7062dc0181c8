#include "core/runtime/executor/graph_pool.h"

#include <algorithm>

namespace hilo {

Result<GraphPool::Lent> GraphPool::take(Device& device, uint32_t sequence, GraphRange range,
                                        const WorkGraph& work, const std::vector<DeviceAddress>& bases) {
  Lent taken{.sequence = sequence, .range = range, .bases = {}, .graph = nullptr};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(
        idle_, [&](const Lent& idle) { return idle.sequence == sequence && idle.range == range; });
    if (found != idle_.end()) {
      taken = std::move(*found);
      idle_.erase(found);
    }
  }
  if (taken.graph == nullptr) {
    TRY(taken.graph, device.makeGraph(work));
  } else if (taken.bases != bases) {
    TRY_STATUS(taken.graph->update(work));
  }
  taken.bases = bases;
  return taken;
}

void GraphPool::giveBack(Lent graph) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(graph));
}

}  // namespace hilo
