// Graphs that runs of a program leave for the next: made once, told the addresses of whoever takes them.
#pragma once

#include <mutex>

#include "core/runtime/executor/work_graph.h"

namespace hilo {

// Threads: any.
class GraphPool {
 public:
  struct Lent {
    uint32_t sequence = 0;
    GraphRange range;
    std::vector<DeviceAddress> bases;  // that it has
    std::unique_ptr<DeviceGraph> graph;
  };
  // One that is not in use, brought up to date where its addresses are others; else a new one of `work`.
  // Error kinds: the device's.
  Result<Lent> take(Device& device, uint32_t sequence, GraphRange range, const WorkGraph& work,
                    const std::vector<DeviceAddress>& bases);
  // When all that it was launched for is done.
  void giveBack(Lent graph);

 private:
  std::mutex mutex_;
  std::vector<Lent> idle_;
};

}  // namespace hilo
