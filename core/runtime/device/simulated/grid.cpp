#include "core/runtime/device/simulated/grid.h"

#include <fmt/format.h>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/async_copies.h"
#include "core/runtime/device/simulated/launch_check.h"

namespace hilo {
namespace {

constexpr size_t kRuntimeStack = 48 << 10;  // that calls of this room need below a kernel's own

std::byte* aligned(std::vector<std::byte>& bytes, size_t alignment) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(bytes.data()) + alignment - 1) /
                                      alignment * alignment);
}
// The window begins where any variable may.
std::byte* windowOf(SimBlock& block) { return aligned(block.shared, 128); }

void unlinear(uint64_t at, const uint32_t* sizes, uint32_t* place) {
  place[0] = static_cast<uint32_t>(at % sizes[0]);
  place[1] = static_cast<uint32_t>(at / sizes[0] % sizes[1]);
  place[2] = static_cast<uint32_t>(at / sizes[0] / sizes[1]);
}

}  // namespace

Grid::Grid(const SimulatedCode& code, const SimulatedKernel& kernel, SimKernelFunction function,
           const SimulatedLaunch& launch, SimulatedMemory* memory, SimulatedMemory* globals,
           std::string& output)
    : code_(code), kernel_(kernel), function_(function), launch_(launch), output_(output) {
  if (code.isChecked) check_ = std::make_unique<AccessCheck>(*this, memory, globals, report_);
}

Grid::~Grid() = default;

Result<SimulatedReport> Grid::run() {
  TRY_STATUS(checkLaunch(code_, kernel_, launch_));
  params_.assign(launch_.params.begin(), launch_.params.end());
  blocks_ = product(launch_.grid);
  threads_ = static_cast<uint32_t>(product(launch_.block));
  report_.counters.threads = blocks_ * threads_;
  isRow_ = launch_.block.y * launch_.block.z == 1 || launch_.block.x % kSimLanes == 0;
  TRY_STATUS(stack_.make(1, kRuntimeStack + kernel_.stackBytes));
  runner_ = {nullptr, stack_.at(0), stack_.bytes(), main, this};
  beginFiber(runner_);
  if (check_) time_ = check_->beginLaunch();
  switchFiber(scheduler_, runner_);
  if (check_) check_->endLaunch(nextTime());
  if (failure_) {
    for (const Diagnostic& finding : report_.findings)
      failure_->notes.push_back("before: " + toString(finding));
    return std::unexpected(*failure_);
  }
  sumLines(report_.counters);
  return std::move(report_);
}

namespace {

// Where the block is in the grid is asked of the first lane of a warp.
void placeWarp(SimThread& first, const SimThread& common) {
  for (int i = 0; i < 3; ++i) {
    first.ctaid[i] = common.ctaid[i];
    first.clusterid[i] = common.clusterid[i];
    first.clusterCtaid[i] = common.clusterCtaid[i];
  }
  first.clusterCtarank = common.clusterCtarank;
}

void forgetOwnState(Lane& lane) {
  lane.copies.copies.clear();
  lane.copies.groups.clear();
  lane.clusterArrivals = 0;
}

}  // namespace

// The registers that all threads of a block have alike. Blocks are numbered cluster by cluster.
SimThread Grid::threadOf(uint64_t block) const {
  SimThread thread;
  const uint64_t perCluster = product(launch_.cluster);
  for (int i = 0; i < 3; ++i) {
    thread.ntid[i] = launch_.block[i];
    thread.nctaid[i] = launch_.grid[i];
    thread.clusterNctaid[i] = launch_.cluster[i];
    thread.nclusterid[i] = launch_.grid[i] / launch_.cluster[i];
  }
  unlinear(block / perCluster, thread.nclusterid, thread.clusterid);
  unlinear(block % perCluster, thread.clusterNctaid, thread.clusterCtaid);
  for (int i = 0; i < 3; ++i)
    thread.ctaid[i] = thread.clusterid[i] * launch_.cluster[i] + thread.clusterCtaid[i];
  thread.clusterCtarank = static_cast<uint32_t>(block % perCluster);
  thread.clusterNctarank = static_cast<uint32_t>(perCluster);
  thread.isExplicitCluster = kernel_.requiredCluster[0] != 0 || perCluster > 1;
  thread.nwarpid = (threads_ + 31) / 32;
  thread.dynamicSharedBytes = launch_.sharedBytes;
  thread.totalSharedBytes = kernel_.sharedBytes + launch_.sharedBytes;
  thread.fuel = kFuel;
  return thread;
}

// Nothing on this stack holds memory while compiled code runs: stop() leaves it for good.
void Grid::main(void* argument) {
  Grid& grid = *static_cast<Grid*>(argument);
  if (Status done = grid.runAll(); !done) grid.failure_ = std::move(done.error());
  endFiber(grid.runner_, grid.scheduler_);
}

void Grid::prepare(SimBlock& block) {
  if (check_) check_->settle();
  if (block.lanes.empty()) makeLanes(block);
  const SimThread common = threadOf(block.number);
  for (int i = 0; i < 3; ++i) block.index[i] = common.ctaid[i];
  for (BlockBarrier& barrier : block.barriers) {
    if (barrier.arrived != 0) barrier = {};
  }
  block.alive = threads_;
  block.synced = 0;
  block.clusterArrived = 0;
  for (Warp& warp : block.warps) {
    placeWarp(block.lanes[warp.first], common);
    const uint32_t lanes = std::min(kSimLanes, threads_ - warp.first);
    warp.alive = warp.ready = lanes == kSimLanes ? ~0u : (1u << lanes) - 1;
    warp.synced = 0;
    warp.isTogether = true;
    warp.point = 0;
  }
  if (block.hasOwnState) std::ranges::for_each(block.lanes, forgetOwnState);
  block.hasOwnState = false;
  if (check_) check_->beginBlock(block);
  if (code_.isCounted && !block.counts) block.counts.emplace(threads_);
}

// What stays the same for all blocks that are run in this one's place.
void Grid::makeLanes(SimBlock& block) {
  block.grid = this;
  block.lanes.resize(threads_);
  block.warps.resize((threads_ + kSimLanes - 1) / kSimLanes);
  block.shared.resize(kernel_.sharedBytes + launch_.sharedBytes + 256);
  block.contexts.resize(block.warps.size() * kernel_.contextBytes + kContextAlignment);
  const SimThread common = threadOf(0);
  std::byte* contexts = aligned(block.contexts, kContextAlignment);
  for (uint32_t i = 0; i < threads_; ++i) {
    Lane& lane = block.lanes[i];
    static_cast<SimThread&>(lane) = common;
    unlinear(i, common.ntid, lane.tid);
    lane.laneid = i % kSimLanes;
    lane.warpid = i / kSimLanes;
    lane.index = i;
    lane.shared = windowOf(block);
    lane.grid = this;
    lane.block = &block;
    lane.warp = &block.warps[lane.warpid];
    lane.context = contexts + uint64_t{lane.warpid} * kernel_.contextBytes;
    lane.fuel = kFuel;
    auto* tid = reinterpret_cast<uint32_t*>(lane.context + kContextTid) + lane.laneid;
    for (uint32_t d = 0; d < 3; ++d) tid[d * kSimLanes] = lane.tid[d];
  }
  for (uint32_t w = 0; w < block.warps.size(); ++w) {
    block.warps[w].block = &block;
    block.warps[w].first = w * kSimLanes;
  }
}

// The next cluster of blocks.
Status Grid::admit() {
  const uint64_t count = product(launch_.cluster);
  const size_t first = active_.size();
  for (uint64_t i = 0; i < count; ++i) {
    if (spare_.empty()) spare_.push_back(std::make_unique<SimBlock>());
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    SimBlock& block = *active_.back();
    block.number = nextBlock_++;
    prepare(block);
  }
  for (size_t i = first; i < active_.size(); ++i) {
    active_[i]->cluster.clear();
    for (size_t other = first; other < active_.size(); ++other)
      active_[i]->cluster.push_back(active_[other].get());
  }
  return {};
}

// Copies that nobody waited for end some time.
void Grid::retire(SimBlock& block) {
  if (block.hasOwnState) {
    finishBulkCopies(*this, nullptr);
    for (Lane& lane : block.lanes) {
      waitCopies(lane, lane.bulkCopies, kAllCopies);
    }
  }
  if (!block.counts) return;
  block.counts->finish(report_.counters);
  for (Lane& lane : block.lanes) report_.counters.instructions += std::exchange(lane.executed, 0);
}

Status Grid::runAll() {
  while (nextBlock_ < blocks_ || !active_.empty()) {
    if (active_.empty()) TRY_STATUS(admit());
    for (size_t i = 0; i < active_.size(); ++i) {
      while (runBlock(*active_[i])) {
      }
      if (failure_) return {};
    }
    // A cluster ends as one: its blocks read each other's memory.
    std::erase_if(active_, [&](std::unique_ptr<SimBlock>& block) {
      const auto& cluster = block->cluster;
      if (block->alive != 0) return false;
      if (!std::ranges::all_of(cluster, [](const SimBlock* other) { return other->alive == 0; }))
        return false;
      retire(*block);
      spare_.push_back(std::move(block));
      return true;
    });
    if (!active_.empty()) TRY_STATUS(goOnStuck());
  }
  return {};
}

void Grid::countTurns(Lane& lane, uint32_t line) {
  lane.fuel = kFuel;
  lane.turns += kFuel;
  waiting_ += kFuel;
  if (waiting_ > launch_.mostWaiting)
    stop(lane, line, "endless-wait", "a thread goes round in a loop and nothing else happens");
}

Diagnostic Grid::about(const Lane& lane, uint32_t line, std::string kind, std::string message) const {
  return {.kind = std::move(kind),
          .message = fmt::format("{}: {}, thread {} of block {}", kernel_.name, message, dimText(lane.tid),
                                 dimText(lane.block->index)),
          .place = {.file = code_.file, .line = line}};
}

void Grid::failAt(const Lane& lane, uint32_t line, std::string kind, std::string message) {
  failure_ = about(lane, line, std::move(kind), std::move(message));
}

void Grid::count(const Lane& lane, const std::byte* address, const SimulatedAccess& access) {
  SimBlock& block = *lane.block;
  if (!block.counts) return;
  const bool isShared = address >= lane.shared && address < lane.shared + block.shared.size();
  if (isShared) {
    block.counts->addShared(report_.counters, access.line, lane.index,
                            static_cast<uint64_t>(address - lane.shared), access.bytes);
  } else {
    block.counts->add(report_.counters, access.line, lane.index, AccessCounts::Kind::Global,
                      reinterpret_cast<uintptr_t>(address) / 32);
  }
}

void Grid::stop(Lane& lane, uint32_t line, std::string kind, std::string message) {
  failure_ = about(lane, line, std::move(kind), std::move(message));
  std::string().swap(message);
  std::string().swap(kind);
  endFiber(runner_, scheduler_);
}

}  // namespace hilo
