// Private to the room: a grid while it runs, on one thread of the host. Lanes of a warp run together from one
// point where they may wait to the next (sim_thread.h), and are there until others let them go on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/runtime/device/simulated/access_counts.h"
#include "core/runtime/device/simulated/fiber.h"
#include "core/runtime/device/simulated/knowledge.h"
#include "core/runtime/device/simulated/launch.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_thread.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/device/simulated/simulated_memory.h"

namespace hilo {

class AccessCheck;
class Grid;
struct Lane;
struct SimBlock;
struct Warp;

// cp.async: what is copied when it is waited for, the latest that a device may.
struct AsyncCopy {
  std::byte* to;
  const std::byte* from;
  uint32_t bytes, taken;  // taken of the source, the rest is zero
  uint32_t line;          // of PTX
  uint32_t unit = 16;     // bytes that are accessed at once
};

// Those of a thread that it waits for itself, in groups.
struct CopyQueue {
  std::vector<AsyncCopy> copies;
  std::vector<uint32_t> groups;  // how many each committed group has, the oldest first
};
// cp.async.bulk with a barrier in memory: done when somebody looks at the barrier.
struct BulkCopy {
  std::vector<AsyncCopy> parts;
  uint64_t* barrier;
  Lane* by;
};

// A thread of the grid.
struct alignas(64) Lane : SimThread {
  Grid* grid = nullptr;
  SimBlock* block = nullptr;
  Warp* warp = nullptr;
  CopyQueue copies, bulkCopies;  // cp.async, and cp.async.bulk in groups
  uint32_t index = 0;            // in its block
  uint32_t clusterArrivals = 0;  // at the barrier of its cluster
};
static_assert(sizeof(Lane) == kSimThreadStride);

// Lanes that arrived at the same operation; it is done when all of `mask` that live have.
struct WarpRendezvous {
  uint32_t operation = 0, detail = 0, mask = 0, arrived = 0, line = 0;
};

// Lanes as masks of 32 bits. One that lives and is in none of the others waits.
struct Warp {
  SimBlock* block = nullptr;
  uint32_t first = 0;  // lane in the block
  uint32_t alive = 0;
  uint32_t ready = 0;
  uint32_t asking = 0;    // who is active
  uint32_t yielding = 0;  // in a loop that waits for what others write, or for a cluster to meet
  bool isTogether = true;
  uint32_t point = 0;           // where they are together
  uint32_t at[kSimLanes] = {};  // and where each is, apart
  uint32_t synced = 0;          // when, in the grid's time
  std::vector<WarpRendezvous> allRendezvous;

  std::byte* context() const;
  uint64_t* values() const { return reinterpret_cast<uint64_t*>(context() + kContextRecords); }
  Lane& lane(uint32_t i) const;
  uint32_t pointOf(uint32_t i) const { return isTogether ? point : at[i]; }
};

struct BlockBarrier {
  uint32_t arrived = 0, expected = 0;  // expected 0: all threads
  BarrierMode mode = BarrierMode::Sync;
  uint32_t all = 1, any = 0, count = 0;  // of bar.red
  uint32_t line = 0;
  std::vector<std::pair<Warp*, uint32_t>> waiting, others;  // lanes; others arrived and went on
};

struct SimBlock {
  static constexpr uint32_t kBarriers = 16;

  Grid* grid = nullptr;
  uint64_t number = 0;
  uint32_t index[3] = {};
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  std::vector<std::byte> shared, contexts;
  BlockBarrier barriers[kBarriers];
  uint32_t alive = 0;
  bool hasOwnState = false;            // lanes have copies under way, or arrived at their cluster's barrier
  uint32_t synced = 0;                 // when, in the grid's time
  std::vector<SimBlock*> cluster;      // its blocks by rank, with itself
  uint32_t clusterArrived = 0;         // kept by rank 0
  std::optional<AccessCounts> counts;  // where they are counted
  SimulatedBuffer window;              // its shared memory, in check mode
  std::vector<ThreadOrder> orders;     // of its threads, where more than barriers of all order them
  SharedKnowledge known;               // of all of them
};

inline Lane& Warp::lane(uint32_t i) const { return block->lanes[first + i]; }
inline std::byte* Warp::context() const { return lane(0).context; }

// Turns of a waiting loop that a thread has before others have theirs.
constexpr int64_t kFuel = 256;

class Grid {
 public:
  Grid(const SimulatedCode& code, const SimulatedKernel& kernel, SimKernelFunction function,
       const SimulatedLaunch& launch, SimulatedMemory* memory, SimulatedMemory* globals, std::string& output);
  ~Grid();

  Result<SimulatedReport> run();
  // Of functions that kernels call.
  const Fiber& runner() const { return runner_; }
  std::span<const std::byte> params() const { return params_; }

  // An event: something happened but turns of waiting loops.
  void happened() { waiting_ = 0; }
  // Of a thread that had its turns of a loop in which nobody else can help it.
  void countTurns(Lane& lane, uint32_t line);
  // All that came before is before all that comes after.
  uint32_t nextTime() { return ++time_; }
  uint32_t time() const { return time_; }
  // Ends the launch. From compiled code, which is left for good:
  [[noreturn]] void stop(Lane& lane, uint32_t line, std::string kind, std::string message);
  // and from between.
  void failAt(const Lane& lane, uint32_t line, std::string kind, std::string message);
  bool hasFailed() const { return failure_.has_value(); }
  Diagnostic about(const Lane& lane, uint32_t line, std::string kind, std::string message) const;
  std::string& output() { return output_; }
  AccessCheck* check() { return check_.get(); }
  // An access to memory that is not the lane's own, where they are counted.
  void count(const Lane& lane, const std::byte* address, const SimulatedAccess& access);
  SimulatedReport& report() { return report_; }
  std::vector<BulkCopy>& bulkCopies() { return bulkCopies_; }
  const SimulatedKernel& kernel() const { return kernel_; }
  const SimulatedLaunch& launch() const { return launch_; }

 private:
  SimThread threadOf(uint64_t block) const;
  static void main(void* grid);
  Status runAll();
  Status admit();
  void prepare(SimBlock& block);
  void makeLanes(SimBlock& block);
  void retire(SimBlock& block);
  bool runBlock(SimBlock& block);
  void runWarp(Warp& warp);
  void runTogether(Warp& warp, uint32_t point);
  void runApart(Warp& warp, uint32_t group, uint32_t point);
  void arriveApart(Warp& warp, uint32_t group);
  void go(Warp& warp, uint32_t group, uint32_t point);
  void arrive(Warp& warp, uint32_t group, uint32_t point);
  void end(Warp& warp, uint32_t group);
  bool hasReady() const;
  uint32_t wakeYielding(Warp& warp, const Lane*& spinning);
  Status goOnStuck();
  Status deadlock();

  const SimulatedCode& code_;
  const SimulatedKernel& kernel_;
  SimKernelFunction function_;
  const SimulatedLaunch& launch_;
  std::string& output_;
  std::unique_ptr<AccessCheck> check_;
  SimulatedReport report_;

  std::vector<std::byte> params_;  // where they are aligned
  uint64_t blocks_ = 1, nextBlock_ = 0;
  uint32_t threads_ = 1;
  std::vector<std::unique_ptr<SimBlock>> active_, spare_;
  Fiber scheduler_, runner_;  // all compiled code runs on one stack of its own
  FiberStacks stack_;
  bool isRow_ = false;                // lanes of a warp differ in tid.x alone
  std::vector<BulkCopy> bulkCopies_;  // under way
  std::optional<Diagnostic> failure_;
  uint64_t waiting_ = 0;
  uint32_t time_ = 1;
};

}  // namespace hilo
