// Private to the room: a grid while it runs. Threads that wait for each other are fibers of one thread of the
// host: a thread runs until it waits, then the next that can go on does.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/runtime/device/simulated/access_counts.h"
#include "core/runtime/device/simulated/fiber.h"
#include "core/runtime/device/simulated/launch.h"
#include "core/runtime/device/simulated/sim_thread.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/device/simulated/simulated_memory.h"

namespace hilo {

class AccessCheck;
class Grid;
struct SimBlock;
struct Warp;

enum class LaneState : uint8_t { Ready, AtWarp, AtBarrier, AtCluster, AtActiveMask, Yielding, Done };

// cp.async: what is copied when it is waited for, the latest that a device may.
struct AsyncCopy {
  std::byte* to;
  const std::byte* from;
  uint32_t bytes, taken;  // taken of the source, the rest is zero
  uint32_t line;          // of PTX
};

// A thread of the grid.
struct Lane : SimThread {
  Grid* grid = nullptr;
  SimBlock* block = nullptr;
  Warp* warp = nullptr;
  Fiber fiber;
  LaneState state = LaneState::Ready;
  uint32_t line = 0;           // of PTX, where it waits
  uint64_t* record = nullptr;  // operands and results of what its warp does together
  uint32_t barrier = 0;
  std::vector<AsyncCopy> copies;
  std::vector<uint32_t> copyGroups;  // how many copies each committed group has, the oldest first
  uint32_t index = 0;                // in its block
  uint32_t clusterArrivals = 0;      // at the barrier of its cluster
};

// Lanes that arrived at the same operation; it is done when all of `mask` that live have.
struct WarpRendezvous {
  uint32_t operation = 0, detail = 0, mask = 0, arrived = 0, line = 0;
};

struct Warp {
  SimBlock* block = nullptr;
  uint32_t first = 0;   // lane in the block
  uint32_t alive = 0;   // one bit a lane
  uint32_t synced = 0;  // when, in the grid's time
  std::vector<WarpRendezvous> allRendezvous;
};

struct BlockBarrier {
  uint32_t arrived = 0, expected = 0;                   // expected 0: all threads
  uint32_t operation = 0, all = 1, any = 0, count = 0;  // of bar.red
  uint32_t line = 0;
  std::vector<Lane*> waiting;
};

struct SimBlock {
  static constexpr uint32_t kBarriers = 16;

  Grid* grid = nullptr;
  uint64_t number = 0;
  uint32_t index[3] = {};
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  FiberStacks stacks;
  BlockBarrier barriers[kBarriers];
  std::deque<Lane*> ready;
  uint32_t alive = 0;
  uint32_t synced = 0;                 // when, in the grid's time
  std::vector<SimBlock*> cluster;      // its blocks by rank, with itself
  uint32_t clusterArrived = 0;         // kept by rank 0
  std::optional<AccessCounts> counts;  // in check mode
  SimulatedBuffer window;              // its shared memory, in check mode
  uint32_t acquired = 0;               // when it last saw what others released
};

class Grid {
 public:
  Grid(const SimulatedCode& code, const SimulatedKernel& kernel, SimKernelFunction function,
       const SimulatedLaunch& launch, SimulatedMemory* memory, SimulatedMemory* globals, std::string& output);
  ~Grid();

  Result<SimulatedReport> run();

  // Called by threads, on their stacks.
  void wait(Lane& lane, LaneState state, uint32_t line);
  void wake(Lane& lane);
  // An event: something happened but turns of waiting loops.
  void happened() { waiting_ = 0; }
  // Of a thread that had its turns of a loop.
  void yield(Lane& lane, uint32_t line);
  // All that came before is before all that comes after.
  uint32_t nextTime() { return ++time_; }
  uint32_t time() const { return time_; }
  [[noreturn]] void stop(Lane& lane, uint32_t line, std::string kind, std::string message);
  Diagnostic about(const Lane& lane, uint32_t line, std::string kind, std::string message) const;
  std::string& output() { return output_; }
  AccessCheck* check() { return check_.get(); }
  const SimulatedKernel& kernel() const { return kernel_; }
  const SimulatedLaunch& launch() const { return launch_; }

 private:
  Status checkLaunch() const;
  Status checkCluster() const;
  SimThread threadOf(uint64_t block) const;
  Status runPlain();
  Status runFibers();
  Status admit();
  Status prepare(SimBlock& block);
  void placeLanes(SimBlock& block);
  void retire(SimBlock& block);
  Status goOnStuck();
  Status deadlock();
  static void laneMain(void* lane);
  static void plainMain(void* grid);
  Lane* nextReady();

  const SimulatedCode& code_;
  const SimulatedKernel& kernel_;
  SimKernelFunction function_;
  const SimulatedLaunch& launch_;
  std::string& output_;
  std::unique_ptr<AccessCheck> check_;
  SimulatedReport report_;

  uint64_t blocks_ = 1, nextBlock_ = 0;
  uint32_t threads_ = 1;
  std::vector<std::unique_ptr<SimBlock>> active_, spare_;
  SimBlock* running_ = nullptr;
  Fiber scheduler_;
  Lane plain_;  // the only lane of a kernel that never waits
  SimBlock plainBlock_;
  FiberStacks plainStack_;
  std::optional<Diagnostic> failure_;
  uint64_t waiting_ = 0;
  uint32_t time_ = 1;
};

}  // namespace hilo
