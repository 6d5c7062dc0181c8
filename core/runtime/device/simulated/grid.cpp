#include "core/runtime/device/simulated/grid.h"

#include <fmt/format.h>

#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/barriers.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {
namespace {

constexpr uint32_t kMostThreads = 1024;
constexpr uint32_t kMostCluster = 16;
constexpr size_t kMostLanes = 1 << 15;      // of blocks at the same time
constexpr size_t kRuntimeStack = 48 << 10;  // that calls of this room need below a kernel's own
constexpr int64_t kFuel = 256;
constexpr uint32_t kSharedLimit = 1u << kClusterRankShift;

uint64_t product(const SimDim& dim) { return uint64_t{dim[0]} * dim[1] * dim[2]; }
std::string dimText(const uint32_t* dim) { return fmt::format("({}, {}, {})", dim[0], dim[1], dim[2]); }

// The window begins where any variable may.
std::byte* windowOf(SimBlock& block) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(block.shared.data()) + 127) / 128 * 128);
}

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
  TRY_STATUS(checkLaunch());
  blocks_ = product(launch_.grid);
  threads_ = static_cast<uint32_t>(product(launch_.block));
  report_.counters.threads = blocks_ * threads_;
  TRY_STATUS(kernel_.waits ? runFibers() : runPlain());
  return std::move(report_);
}

Status Grid::checkLaunch() const {
  const auto wrong = [&](std::string message) -> Status {
    return fail("wrong-launch", fmt::format("{}: {}", kernel_.name, message), {.file = code_.file});
  };
  const uint64_t threads = product(launch_.block);
  if (product(launch_.grid) == 0 || threads == 0) return wrong("a grid or block without threads");
  if (threads > kMostThreads)
    return wrong(fmt::format("{} threads a block are more than {}", threads, kMostThreads));
  if (kernel_.mostThreads != 0 && threads > kernel_.mostThreads)
    return wrong(
        fmt::format("{} threads a block are more than its .maxntid, {}", threads, kernel_.mostThreads));
  const SimDim required = {kernel_.requiredThreads[0], kernel_.requiredThreads[1],
                           kernel_.requiredThreads[2]};
  if (required[0] != 0 && required != launch_.block)
    return wrong(fmt::format("blocks of {} are not its .reqntid, {}", dimText(&launch_.block.x),
                             dimText(&required.x)));
  if (launch_.params.size() < kernel_.paramBytes)
    return wrong(fmt::format("{} bytes of parameters, not {}", launch_.params.size(), kernel_.paramBytes));
  if (uint64_t{kernel_.sharedBytes} + launch_.sharedBytes + 128 > kSharedLimit)
    return wrong(fmt::format("more than {} bytes of shared memory a block", kSharedLimit));
  return checkCluster();
}

Status Grid::checkCluster() const {
  const SimDim required = {kernel_.requiredCluster[0], kernel_.requiredCluster[1],
                           kernel_.requiredCluster[2]};
  if (required.x != 0 && required != launch_.cluster)
    return fail("wrong-launch",
                fmt::format("{}: clusters of {} are not its .reqnctapercluster, {}", kernel_.name,
                            dimText(&launch_.cluster.x), dimText(&required.x)),
                {.file = code_.file});
  const uint64_t cluster = product(launch_.cluster);
  bool divides = cluster > 0 && cluster <= kMostCluster;
  for (int i = 0; divides && i < 3; ++i) divides = launch_.grid[i] % launch_.cluster[i] == 0;
  if (!divides)
    return fail("wrong-launch",
                fmt::format("{}: clusters of {} do not divide the grid {}", kernel_.name,
                            dimText(&launch_.cluster.x), dimText(&launch_.grid.x)),
                {.file = code_.file});
  return {};
}

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

// One stack for all threads, one after the other.
Status Grid::runPlain() {
  TRY_STATUS(plainStack_.make(1, kRuntimeStack + kernel_.stackBytes));
  plain_.grid = this;
  plain_.fiber = {nullptr, plainStack_.at(0), plainStack_.bytes(), plainMain, this};
  beginFiber(plain_.fiber);
  switchFiber(scheduler_, plain_.fiber);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

HILO_CALLS_COMPILED_CODE void Grid::plainMain(void* argument) {
  Grid& grid = *static_cast<Grid*>(argument);
  Lane& lane = grid.plain_;
  SimBlock& block = grid.plainBlock_;
  block.grid = &grid;
  block.shared.resize(grid.kernel_.sharedBytes + grid.launch_.sharedBytes + 256);
  for (uint64_t number = 0; number < grid.blocks_; ++number) {
    static_cast<SimThread&>(lane) = grid.threadOf(number);
    lane.shared = windowOf(block);
    lane.block = &block;
    block.number = number;
    if (grid.check_) grid.check_->beginBlock(block);
    for (uint32_t i = 0; i < grid.threads_; ++i) {
      lane.laneid = i % 32;
      lane.warpid = i / 32;
      lane.index = i;
      grid.waiting_ = 0;
      lane.copies.clear();
      lane.copyGroups.clear();
      grid.function_(&lane, grid.launch_.params.data());
      if (++lane.tid[0] < lane.ntid[0]) continue;
      lane.tid[0] = 0;
      if (++lane.tid[1] < lane.ntid[1]) continue;
      lane.tid[1] = 0;
      ++lane.tid[2];
    }
    if (grid.check_) grid.check_->endBlock(block);
  }
  endFiber(lane.fiber, grid.scheduler_);
}

HILO_CALLS_COMPILED_CODE void Grid::laneMain(void* argument) {
  Lane& lane = *static_cast<Lane*>(argument);
  Grid& grid = *lane.grid;
  grid.function_(&lane, grid.launch_.params.data());
  lane.state = LaneState::Done;
  grid.happened();
  leaveWarp(lane);
  leaveBarriers(lane);
  --lane.block->alive;
  Lane* next = grid.nextReady();
  endFiber(lane.fiber, next != nullptr ? next->fiber : grid.scheduler_);
}

Lane* Grid::nextReady() {
  auto& ready = running_->ready;
  if (ready.empty()) return nullptr;
  Lane* lane = ready.front();
  ready.pop_front();
  return lane;
}

void Grid::wait(Lane& lane, LaneState state, uint32_t line) {
  lane.state = state;
  lane.line = line;
  Lane* next = nextReady();
  if (next == &lane) return;
  switchFiber(lane.fiber, next != nullptr ? next->fiber : scheduler_);
}

void Grid::yield(Lane& lane, uint32_t line) {
  lane.fuel = kFuel;
  lane.turns += kFuel;
  if (lane.warp != nullptr) return wait(lane, LaneState::Yielding, line);
  waiting_ += kFuel;
  if (waiting_ > launch_.mostWaiting)
    stop(lane, line, "endless-wait", "a thread goes round in a loop and nothing else happens");
}

void Grid::wake(Lane& lane) {
  lane.state = LaneState::Ready;
  lane.block->ready.push_back(&lane);
}

Status Grid::prepare(SimBlock& block) {
  block.grid = this;
  if (block.lanes.empty()) {
    block.lanes.resize(threads_);
    block.warps.resize((threads_ + 31) / 32);
    block.shared.resize(kernel_.sharedBytes + launch_.sharedBytes + 256);
    TRY_STATUS(block.stacks.make(threads_, kRuntimeStack + kernel_.stackBytes));
  }
  placeLanes(block);
  if (check_) check_->beginBlock(block);
  return {};
}

void Grid::placeLanes(SimBlock& block) {
  const SimThread common = threadOf(block.number);
  std::byte* shared = windowOf(block);
  for (int i = 0; i < 3; ++i) block.index[i] = common.ctaid[i];
  for (uint32_t w = 0; w < block.warps.size(); ++w) {
    const uint32_t lanes = std::min(32u, threads_ - w * 32);
    block.warps[w] = {&block, w * 32, lanes == 32 ? ~0u : (1u << lanes) - 1, 0, {}};
  }
  for (BlockBarrier& barrier : block.barriers) barrier = {};
  block.alive = threads_;
  block.synced = 0;
  block.clusterArrived = 0;
  for (uint32_t i = 0; i < threads_; ++i) {
    Lane& lane = block.lanes[i];
    static_cast<SimThread&>(lane) = common;
    unlinear(i, common.ntid, lane.tid);
    lane.laneid = i % 32;
    lane.warpid = i / 32;
    lane.index = i;
    lane.shared = shared;
    lane.grid = this;
    lane.block = &block;
    lane.warp = &block.warps[i / 32];
    lane.copies.clear();
    lane.copyGroups.clear();
    lane.clusterArrivals = 0;
    // Tops of stacks lie in different lines of the caches.
    const size_t top = block.stacks.bytes() - i % 32 * 128;
    lane.fiber = {nullptr, block.stacks.at(i), top, laneMain, &lane};
    beginFiber(lane.fiber);
    wake(lane);
  }
}

// The next cluster of blocks.
Status Grid::admit() {
  const uint64_t count = product(launch_.cluster);
  std::vector<SimBlock*> cluster;
  for (uint64_t i = 0; i < count; ++i) {
    if (spare_.empty()) spare_.push_back(std::make_unique<SimBlock>());
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    SimBlock& block = *active_.back();
    block.number = nextBlock_++;
    TRY_STATUS(prepare(block));
    cluster.push_back(&block);
  }
  for (SimBlock* block : cluster) block->cluster = cluster;
  return {};
}

void Grid::retire(SimBlock& block) {
  if (check_) check_->endBlock(block);
  block.ready.clear();
}

Status Grid::runFibers() {
  while (nextBlock_ < blocks_ || !active_.empty()) {
    if (active_.empty()) TRY_STATUS(admit());
    for (size_t i = 0; i < active_.size(); ++i) {
      running_ = active_[i].get();
      while (Lane* lane = nextReady()) {
        switchFiber(scheduler_, lane->fiber);
        if (failure_) return std::unexpected(*failure_);
      }
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

// Nothing is ready. What can be done, in this order: let lanes that asked who is active go on together; begin
// further blocks; give those that wait in loops another turn.
Status Grid::goOnStuck() {
  for (const auto& block : active_) {
    if (releaseActiveMasks(*block)) return {};
  }
  const bool hasReady = std::ranges::any_of(active_, [](const auto& block) { return !block->ready.empty(); });
  if (hasReady) return {};
  const bool hasRoom = (active_.size() + 1) * threads_ <= kMostLanes;
  if (nextBlock_ < blocks_ && hasRoom) TRY_STATUS(admit());
  Lane* spinning = nullptr;
  uint64_t count = 0;
  for (const auto& block : active_) {
    for (Lane& lane : block->lanes) {
      if (lane.state != LaneState::Yielding) continue;
      spinning = &lane;
      ++count;
      wake(lane);
    }
  }
  waiting_ += count * kFuel;
  if (spinning == nullptr) {
    const bool began = std::ranges::any_of(active_, [](const auto& block) { return !block->ready.empty(); });
    return began ? Status() : deadlock();
  }
  if (waiting_ <= launch_.mostWaiting) return {};
  return std::unexpected(
      about(*spinning, spinning->line, "endless-wait",
            fmt::format("{} threads go round in loops and nothing else happens; one of them", count)));
}

Status Grid::deadlock() {
  static constexpr std::string_view kWhere[] = {
      "", "an operation of its warp", "a barrier of its block", "a barrier of its cluster", "", "", ""};
  for (const auto& block : active_) {
    for (const Lane& lane : block->lanes) {
      if (lane.state == LaneState::Done) continue;
      return std::unexpected(
          about(lane, lane.line, "deadlock",
                fmt::format("nobody can go on: {} of {} threads of the block ended, others wait for "
                            "ever; at {}",
                            threads_ - block->alive, threads_, kWhere[static_cast<int>(lane.state)])));
    }
  }
  return {};
}

Diagnostic Grid::about(const Lane& lane, uint32_t line, std::string kind, std::string message) const {
  return {.kind = std::move(kind),
          .message = fmt::format("{}: {}, thread {} of block {}", kernel_.name, message, dimText(lane.tid),
                                 dimText(lane.ctaid)),
          .place = {.file = code_.file, .line = line}};
}

void Grid::stop(Lane& lane, uint32_t line, std::string kind, std::string message) {
  failure_ = about(lane, line, std::move(kind), std::move(message));
  std::string().swap(message);
  std::string().swap(kind);
  endFiber(lane.fiber, scheduler_);
}

}  // namespace hilo
