#include "core/runtime/device/simulated/sim_functions.h"

#include <fmt/format.h>

#include <cstring>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/async_copies.h"
#include "core/runtime/device/simulated/barriers.h"
#include "core/runtime/device/simulated/print_format.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_floats.h"
#include "core/runtime/device/simulated/tensor_copies.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {
namespace {

constexpr uint32_t kRankMask = (1u << kClusterRankShift) - 1;

Lane& laneOf(SimThread* thread) { return *static_cast<Lane*>(thread); }

uint64_t* barrierAt(Lane& lane, std::byte* address, uint32_t line,
                    uint32_t kind = kAccessReads | kAccessWrites) {
  if (AccessCheck* check = lane.grid->check()) check->access(lane, address, {line, 8, kind | kAccessAtomic});
  return reinterpret_cast<uint64_t*>(address);
}

// The block of the cluster in whose shared memory the address lies; the own one where it lies in none.
SimBlock& blockOf(Lane& lane, const std::byte* address) {
  for (SimBlock* block : lane.block->cluster) {
    const std::byte* shared = block->lanes.front().shared;
    if (address >= shared && address < shared + block->shared.size()) return *block;
  }
  return *lane.block;
}

// A loop that waits for a barrier in memory: others have their turn when it goes round.
bool waited(Lane& lane, const uint64_t* barrier, bool isOver) {
  if (!isOver) lane.fuel = 0;
  if (AccessCheck* check = lane.grid->check(); check != nullptr && isOver)
    check->orders().acquire(lane, barrier);
  return isOver;
}

void sim_cluster_arrive(SimThread* thread, uint32_t) {
  Lane& lane = laneOf(thread);
  lane.block->hasOwnState = true;
  arriveCluster(lane);
}
void sim_turns(SimThread* thread, uint32_t line) { laneOf(thread).grid->countTurns(laneOf(thread), line); }
void sim_fence(SimThread* thread, uint32_t isForBlock) {
  Lane& lane = laneOf(thread);
  lane.grid->check()->orders().fence(lane, isForBlock != 0);
}
void sim_access(SimThread* thread, std::byte* address, uint32_t site) {
  Lane& lane = laneOf(thread);
  lane.grid->check()->access(lane, address, site);
}
void sim_count(SimThread* thread, std::byte* address, uint32_t site) {
  Lane& lane = laneOf(thread);
  const SimulatedAccess& access = lane.grid->kernel().accesses[site];
  if ((access.kind & kAccessLocal) == 0) lane.grid->count(lane, address, access);
}
void sim_branch(SimThread* thread, uint32_t taken, uint32_t line) {
  Lane& lane = laneOf(thread);
  lane.block->counts->add(lane.grid->report().counters, line, lane.index, AccessCounts::Kind::Branch, taken);
}
void sim_trap(SimThread* thread, uint32_t line) {
  laneOf(thread).grid->stop(laneOf(thread), line, "trap", "it executes a trap");
}

// Of a shared::cluster address (sim_thread.h).
std::byte* sim_cluster_address(SimThread* thread, uint32_t address) {
  Lane& lane = laneOf(thread);
  const uint32_t rank = address >> kClusterRankShift;
  if (rank == 0 || rank > lane.block->cluster.size()) return lane.shared + address;
  return lane.block->cluster[rank - 1]->lanes.front().shared + (address & kRankMask);
}
// A generic address in the own window as it is in that of another block.
std::byte* sim_map_rank(SimThread* thread, std::byte* address, uint32_t rank) {
  Lane& lane = laneOf(thread);
  SimBlock& from = blockOf(lane, address);
  const auto place = address - from.lanes.front().shared;
  if (rank >= lane.block->cluster.size()) return address;
  return lane.block->cluster[rank]->lanes.front().shared + place;
}
uint32_t sim_rank_of(SimThread* thread, std::byte* address) {
  return blockOf(laneOf(thread), address).lanes.front().clusterCtarank;
}
uint32_t sim_is_shared(SimThread* thread, std::byte* address) {
  const Lane& lane = laneOf(thread);
  return address >= lane.shared && address < lane.shared + (1 << kClusterRankShift) &&
         address < lane.shared + lane.block->shared.size();
}

void sim_copy(SimThread* thread, std::byte* to, const std::byte* from, uint32_t bytes, uint32_t taken,
              uint32_t line) {
  laneOf(thread).block->hasOwnState = true;
  copyLater(laneOf(thread).copies, {to, from, bytes, std::min(bytes, taken), line});
}
void sim_copy_commit(SimThread* thread) { commitCopies(laneOf(thread).copies); }
void sim_bulk_commit(SimThread* thread) { commitCopies(laneOf(thread).bulkCopies); }
void sim_bulk_wait(SimThread* thread, uint32_t left) {
  waitCopies(laneOf(thread), laneOf(thread).bulkCopies, left);
}
void sim_copy_wait(SimThread* thread, uint32_t left) {
  waitCopies(laneOf(thread), laneOf(thread).copies, left);
}

void sim_mbarrier_init(SimThread* thread, std::byte* address, uint32_t count, uint32_t line) {
  initMbarrier(barrierAt(laneOf(thread), address, line, kAccessWrites), count);
}
uint64_t sim_mbarrier_arrive(SimThread* thread, std::byte* address, uint32_t count, uint32_t drops,
                             uint32_t line) {
  Lane& lane = laneOf(thread);
  return arriveMbarrier(lane, barrierAt(lane, address, line), count, drops != 0);
}
void sim_mbarrier_bytes(SimThread* thread, std::byte* address, int64_t bytes, uint32_t line) {
  Lane& lane = laneOf(thread);
  addTransactions(lane, barrierAt(lane, address, line), bytes);
}
uint32_t sim_mbarrier_test(SimThread* thread, std::byte* address, uint64_t state, uint32_t line) {
  Lane& lane = laneOf(thread);
  const uint64_t* barrier = barrierAt(lane, address, line);
  finishBulkCopies(*lane.grid, barrier);
  return waited(lane, barrier, isPhaseOver(barrier, state));
}
uint32_t sim_mbarrier_parity(SimThread* thread, std::byte* address, uint32_t parity, uint32_t line) {
  Lane& lane = laneOf(thread);
  const uint64_t* barrier = barrierAt(lane, address, line);
  finishBulkCopies(*lane.grid, barrier);
  return waited(lane, barrier, isParityOver(barrier, parity));
}
// cp.async.mbarrier.arrive: when the copies so far are done. Without .noinc it counts for one arrival more.
void sim_copy_arrive(SimThread* thread, std::byte* address, uint32_t isCounted, uint32_t line) {
  Lane& lane = laneOf(thread);
  waitCopies(lane, lane.copies, kAllCopies);
  uint64_t* barrier = barrierAt(lane, address, line);
  if (isCounted != 0) arriveMbarrier(lane, barrier, 1, false);
}
// cp.async.bulk: done when the barrier is looked at, or when its group is waited for where there is none.
void sim_bulk_copy(SimThread* thread, std::byte* to, const std::byte* from, uint32_t bytes,
                   std::byte* barrier, uint32_t line) {
  Lane& lane = laneOf(thread);
  const AsyncCopy copy{to, from, bytes, bytes, line};
  lane.block->hasOwnState = true;
  if (barrier == nullptr) return copyLater(lane.bulkCopies, copy);
  lane.grid->bulkCopies().push_back({{copy}, barrierAt(lane, barrier, line), &lane});
}
// cp.async.bulk.tensor, between a box of a tensor and shared memory.
void sim_tensor_copy(SimThread* thread, const std::byte* map, std::byte* box, const int32_t* coordinates,
                     uint32_t toShared, std::byte* barrier, uint32_t line) {
  Lane& lane = laneOf(thread);
  TensorMap tensor;
  if (!decodeTensorMap(std::span<const std::byte, kTensorMapBytes>(map, kTensorMapBytes), tensor))
    lane.grid->stop(lane, line, "malformed-tensor-map", "its tensor map is none of the simulated device");
  lane.block->hasOwnState = true;
  auto parts = tensorCopies(lane, tensor, coordinates, box, toShared != 0, line);
  if (barrier != nullptr) {
    lane.grid->bulkCopies().push_back({std::move(parts), barrierAt(lane, barrier, line), &lane});
  } else {
    for (const AsyncCopy& part : parts) copyLater(lane.bulkCopies, part);
  }
}

uint32_t sim_print(SimThread* thread, const char* format, const std::byte* arguments) {
  return printAsDevice(laneOf(thread).grid->output(), format, arguments);
}
void sim_assert_fail(SimThread* thread, const char* message, const char* file, uint32_t fileLine,
                     uint32_t line) {
  laneOf(thread).grid->stop(laneOf(thread), line, "assertion-failed",
                            fmt::format("the assertion {} of {}:{} does not hold", message, file, fileLine));
}
uint32_t sim_find_set(uint32_t mask, uint32_t from, int32_t count) {
  const int step = count < 0 ? -1 : 1;
  if (count == 0) return from < 32 && (mask >> from & 1) != 0 ? from : ~0u;
  for (auto at = static_cast<int>(from); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && (count -= step) == 0) return static_cast<uint32_t>(at);
  }
  return ~0u;
}
constexpr auto sim_arith = simArith;
constexpr auto sim_narrow = simNarrow;
constexpr auto sim_widen = simWiden;

}  // namespace

void* simFunction(std::string_view name) {
#define SIM_FUNCTION(function) {"hilo_sim_" #function, reinterpret_cast<void*>(sim_##function)},
  static const std::pair<std::string_view, void*> kFunctions[] = {
#include "core/runtime/device/simulated/sim_functions.def"
  };
  for (const auto& [known, address] : kFunctions) {
    if (known == name) return address;
  }
  return nullptr;
}

}  // namespace hilo
