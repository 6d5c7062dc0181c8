#include "core/runtime/device/simulated/access_check.h"

#include <fmt/format.h>

#include <bit>

#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {
namespace {

constexpr size_t kMostFindings = 64;
constexpr uint32_t kLaneBits = 11;
constexpr uint32_t kManyLanes = (1u << kLaneBits) - 1;

uint32_t idOf(const Lane& lane) {
  return static_cast<uint32_t>(lane.block->number << kLaneBits) | lane.index;
}
std::string idText(uint32_t id) {
  if (id == kManyThreads) return "threads of several blocks";
  if ((id & kManyLanes) == kManyLanes) return fmt::format("several threads of block {}", id >> kLaneBits);
  return fmt::format("thread {} of block {}", id & kManyLanes, id >> kLaneBits);
}

const char* verb(uint32_t kind) {
  return (kind & kAccessWrites) == 0 ? "reads" : (kind & kAccessReads) == 0 ? "writes" : "updates";
}

}  // namespace

AccessCheck::AccessCheck(Grid& grid, SimulatedMemory* memory, SimulatedMemory* globals,
                         SimulatedReport& report)
    : grid_(grid), memory_(memory), globals_(globals), report_(report) {
  if (memory_ != nullptr) memory_->forgetMarks();
  globals_->forgetMarks();
}

void AccessCheck::beginBlock(SimBlock& block) {
  const uint32_t bytes = grid_.kernel().sharedBytes + grid_.launch().sharedBytes;
  block.window.name = "shared memory";
  block.window.bytes = bytes;
  block.window.isWritten.assign(bytes, false);
  block.window.marks.make(std::max(bytes, 1u));
  block.acquired = 0;
  const SimDim& size = grid_.launch().block;
  if (!block.counts) block.counts.emplace(size.x * size.y * size.z);
}

void AccessCheck::endBlock(SimBlock& block) { block.counts->finish(report_.counters); }

SimulatedBuffer* AccessCheck::bufferOf(Lane& lane, std::byte* address) {
  const auto inWindow = [&](SimBlock& block, std::byte* shared) -> SimulatedBuffer* {
    block.window.address = shared;
    return address >= shared && address < shared + block.window.bytes ? &block.window : nullptr;
  };
  if (SimulatedBuffer* own = inWindow(*lane.block, lane.shared)) return own;
  for (SimBlock* block : lane.block->cluster) {
    if (SimulatedBuffer* found = inWindow(*block, block->lanes.front().shared)) return found;
  }
  if (memory_ != nullptr) {
    if (SimulatedBuffer* found = memory_->find(address)) return found;
  }
  return globals_->find(address);
}

// Local memory and parameters.
bool AccessCheck::isOwn(const Lane& lane, const std::byte* address, uint32_t bytes) const {
  const auto params = grid_.launch().params;
  const auto in = [&](const std::byte* from, size_t size) {
    return address >= from && address + bytes <= from + size;
  };
  const SimulatedKernel& kernel = grid_.kernel();
  return in(lane.context + kernel.localOffset + uint64_t{lane.laneid} * kernel.localBytes, kernel.localBytes) ||
         in(grid_.runner().stack, grid_.runner().stackBytes) || in(params.data(), params.size());
}

void AccessCheck::access(Lane& lane, std::byte* address, uint32_t bytes, uint32_t kind, uint32_t line) {
  if (isOwn(lane, address, bytes)) return;
  SimulatedBuffer* buffer = bufferOf(lane, address);
  if (buffer == nullptr || address + bytes > buffer->address + buffer->bytes)
    return outOfBounds(lane, address, bytes, kind, line);
  const auto at = static_cast<uint64_t>(address - buffer->address);
  if (reinterpret_cast<uintptr_t>(address) % bytes != 0)
    find(lane, line, "misaligned",
         fmt::format("it {} {} bytes at {}, byte {} of {}, which is no multiple of {}", verb(kind), bytes,
                     static_cast<const void*>(address), at, buffer->name, bytes));
  const bool isShared = buffer == &lane.block->window;
  const uint64_t place = isShared ? at / 4 : reinterpret_cast<uintptr_t>(buffer->address) / 32 + at / 32;
  lane.block->counts->add(report_.counters, line, lane.index,
                          isShared ? AccessCounts::Kind::Shared : AccessCounts::Kind::Global, place);
  markBytes(lane, *buffer, at, bytes, kind, line);
}

void AccessCheck::outOfBounds(Lane& lane, const std::byte* address, uint32_t bytes, uint32_t kind,
                              uint32_t line) {
  // stop() does not come back: nothing here may hold memory but what it is given.
  grid_.stop(lane, line, "out-of-bounds", wordsFor(lane, address, bytes, kind));
}

std::string AccessCheck::wordsFor(const Lane& lane, const std::byte* address, uint32_t bytes,
                                  uint32_t kind) const {
  const SimulatedBuffer* near = memory_ != nullptr ? memory_->nearest(address) : nullptr;
  std::string where = "no buffer is known";
  if ((kind & kAccessShared) != 0) {
    where = fmt::format("byte {} of shared memory, which has {}", address - lane.shared,
                        lane.block->window.bytes);
  } else if (near != nullptr) {
    where = fmt::format("byte {} of {}, which has {}", address - near->address, near->name, near->bytes);
  }
  return fmt::format("it {} {} bytes at {}: {}", verb(kind), bytes, static_cast<const void*>(address), where);
}

bool AccessCheck::isOrdered(const AccessMark& mark, const Lane& lane) const {
  const uint32_t time = mark.time >> 1;
  if (time == 0 || mark.thread == idOf(lane)) return true;
  const uint32_t block = mark.thread >> kLaneBits, other = mark.thread & kManyLanes;
  const bool isOwnBlock = mark.thread != kManyThreads && block == (idOf(lane) >> kLaneBits);
  if (isOwnBlock) {
    if (time < lane.block->synced) return true;
    return lane.warp != nullptr && other != kManyLanes && other / 32 == lane.index / 32 &&
           time < lane.warp->synced;
  }
  if (mark.thread == kManyThreads) return time < lane.block->acquired;
  const auto released = released_.find(block);
  if (released == released_.end()) return false;
  const auto after = std::ranges::upper_bound(released->second, time);
  return after != released->second.end() && *after < lane.block->acquired;
}

// Of a reader beside others that nothing orders it with: that there are several.
AccessMark AccessCheck::readMark(const AccessMark& before, const AccessMark& now, const Lane& lane) const {
  const bool isAlone = before.time == 0 || before.thread == now.thread || isOrdered(before, lane);
  if (isAlone) return now;
  const bool isSameBlock =
      before.thread != kManyThreads && (before.thread >> kLaneBits) == (now.thread >> kLaneBits);
  // Atomic only where all are.
  return {now.time & ((before.time & 1) | ~1u), isSameBlock ? now.thread | kManyLanes : kManyThreads};
}

void AccessCheck::markBytes(Lane& lane, SimulatedBuffer& buffer, uint64_t at, uint32_t bytes, uint32_t kind,
                            uint32_t line) {
  if (buffer.marks.isEmpty()) buffer.marks.make(buffer.bytes);
  const bool writes = (kind & kAccessWrites) != 0, reads = (kind & kAccessReads) != 0;
  const uint32_t isAtomic = (kind & kAccessAtomic) != 0;
  const uint32_t self = idOf(lane);
  const AccessMark now{grid_.time() << 1 | isAtomic, self};
  bool isNew = false;
  const AccessMark* race = nullptr;
  const char* raced = "";
  ByteMarks before, after;  // of the byte before: most accesses find the same in all of theirs
  for (uint64_t i = at; i < at + bytes; ++i) {
    ByteMarks& marks = buffer.marks[i];
    if (reads && !buffer.isWritten.empty() && !buffer.isWritten[i]) isNew = true;
    if (writes && !buffer.isWritten.empty()) buffer.isWritten[i] = true;
    if (i > at && marks == before) {
      marks = after;
      continue;
    }
    before = marks;
    const auto races = [&](const AccessMark& mark) {
      return race == nullptr && !isOrdered(mark, lane) && !(isAtomic != 0 && (mark.time & 1) != 0);
    };
    if (races(marks.written)) race = &marks.written, raced = "wrote";
    if (writes && races(marks.read)) race = &marks.read, raced = "read";
    if (race != nullptr) break;
    if (writes) marks.written = now;
    if (reads) marks.read = readMark(marks.read, now, lane);
    after = marks;
  }
  if (isNew)
    find(lane, line, "never-written",
         fmt::format("it reads {} bytes at byte {} of {}, which nobody wrote", bytes, at, buffer.name));
  if (race == nullptr) return;
  const AccessMark mark = *race;
  find(lane, line, "race",
       fmt::format("it {} {} bytes at byte {} of {}, which {} {} with nothing to order them", verb(kind),
                   bytes, at, buffer.name, idText(mark.thread), raced));
  for (uint64_t i = at; i < at + bytes; ++i) buffer.marks[i] = {};
}

void AccessCheck::fence(Lane& lane) {
  const uint32_t now = grid_.nextTime();
  lane.block->acquired = now;
  released_[lane.block->number & (~0u >> kLaneBits)].push_back(now);
  grid_.nextTime();
}

void AccessCheck::warpMet(Warp& warp, uint32_t) { warp.synced = grid_.nextTime(); }
void AccessCheck::barrierMet(SimBlock& block, const BlockBarrier&) { block.synced = grid_.nextTime(); }

void AccessCheck::divergentBarrier(Lane& lane, uint32_t line, uint32_t otherLine) {
  find(lane, line, "divergent-barrier",
       fmt::format("it waits at a barrier where others of its block wait at that of line {}", otherLine));
}

void AccessCheck::endedBefore(Lane& waiting, const Lane& ended, uint32_t line) {
  find(waiting, line, "divergent-barrier",
       fmt::format("part of the block reaches the barrier: thread {} of it ended before", ended.index));
}

void AccessCheck::find(Lane& lane, uint32_t line, const char* kind, std::string message) {
  if (report_.findings.size() >= kMostFindings || !told_.emplace(kind, line).second) return;
  report_.findings.push_back(grid_.about(lane, line, kind, std::move(message)));
}

void AccessCheck::branch(Lane& lane, bool taken, uint32_t line) {
  lane.block->counts->add(report_.counters, line, lane.index, AccessCounts::Kind::Branch, taken ? 1 : 0);
}

}  // namespace hilo
