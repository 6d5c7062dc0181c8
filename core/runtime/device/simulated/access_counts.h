// Private to the room: what accesses and branches of warps cost, of one block. Lanes that come to a line for
// the same time are taken to be there together.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <vector>

#include "core/runtime/device/simulated/launch.h"

namespace hilo {

class AccessCounts {
 public:
  // Places are sectors of global memory, words of shared memory, or whether a branch is taken.
  enum class Kind : uint8_t { Global, Shared, Branch };

  explicit AccessCounts(uint32_t threads) : threads_(threads) {}
  void add(SimulatedCounters& counters, uint32_t line, uint32_t thread, Kind kind, uint64_t place);
  // The words of shared memory that `bytes` bytes at `at` of it are.
  void addShared(SimulatedCounters& counters, uint32_t line, uint32_t thread, uint64_t at, uint32_t bytes);
  // What lanes did that others of their warp did not come to.
  void finish(SimulatedCounters& counters);

 private:
  using Places = absl::InlinedVector<uint32_t, 32>;
  // A line of the kernel: how often each lane was there, and what its warp did each time.
  struct Site {
    uint32_t line = 0;
    Kind kind = Kind::Global;
    std::vector<uint32_t> times;
    std::vector<std::vector<Places>> together;  // by warp and time
  };
  void add(SimulatedCounters& counters, uint32_t line, uint32_t thread, Kind kind, uint64_t place,
           uint32_t count);
  static void fold(SimulatedLineCounters& counters, Kind kind, Places& places);
  Site& siteOf(uint32_t line, Kind kind);

  uint32_t threads_;
  std::vector<uint32_t> numbers_;  // of sites, by line, from 1
  std::vector<Site> sites_;
};

// By its line, made where there is none.
SimulatedLineCounters& countersOf(SimulatedCounters& counters, uint32_t line);
// Sums those of lines.
void sumLines(SimulatedCounters& counters);

}  // namespace hilo
