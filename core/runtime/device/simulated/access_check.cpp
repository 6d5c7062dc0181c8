#include "core/runtime/device/simulated/access_check.h"

#include <fmt/format.h>

#include <cstring>

#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {
namespace {

constexpr size_t kMostFindings = 64;

const char* verb(uint32_t kind) {
  return (kind & kAccessWrites) == 0 ? "reads" : (kind & kAccessReads) == 0 ? "writes" : "updates";
}

}  // namespace

AccessCheck::AccessCheck(Grid& grid, SimulatedMemory* memory, SimulatedMemory* globals,
                         SimulatedReport& report)
    : grid_(grid),
      memory_(memory),
      globals_(globals),
      report_(report),
      orders_(grid),
      lastOf_(grid.kernel().accesses.size()) {}

uint32_t AccessCheck::beginLaunch() {
  const SimulatedLaunch& launch = grid_.launch();
  const bool isLong = globals_->isLong() || (memory_ != nullptr && memory_->isLong());
  uint32_t& time = begin_;
  for (SimulatedMemory* memory : {memory_, globals_}) {
    if (memory == nullptr) continue;
    if (isLong) memory->restart();
    time = std::max(time, memory->time());
  }
  for (SimulatedMemory* memory : {memory_, globals_}) {
    if (memory != nullptr) memory->beginLaunch(launch.kernel, launch.stream, time);
  }
  return time;
}

void AccessCheck::endLaunch(uint32_t time) {
  settle();
  if (memory_ != nullptr) memory_->endLaunch(time);
  globals_->endLaunch(time);
}

void AccessCheck::beginBlock(SimBlock& block) {
  orders_.beginBlock(block);
  const uint32_t bytes = grid_.kernel().sharedBytes + grid_.launch().sharedBytes;
  SimulatedBuffer& window = block.window;
  if (window.marks.isEmpty()) {
    window = {.name = "shared memory",
              .address = block.lanes.front().shared,
              .bytes = bytes,
              .isWritten = false,
              .isShared = true};
    // Where there is no room the first access says so.
    (void)window.makeMarks();
  }
  window.floor = block.synced;
}

SimulatedBuffer* AccessCheck::bufferOf(Lane& lane, std::byte* address) {
  const auto isIn = [&](const SimulatedBuffer& window) {
    return address >= window.address && address < window.address + window.bytes;
  };
  if (isIn(lane.block->window)) return &lane.block->window;
  for (SimBlock* block : lane.block->cluster) {
    if (isIn(block->window)) return &block->window;
  }
  if (memory_ != nullptr) {
    if (SimulatedBuffer* found = memory_->find(address)) return found;
  }
  return globals_->find(address);
}

bool AccessCheck::isInLocal(const Lane& lane, const std::byte* address, uint32_t bytes) const {
  const SimulatedKernel& kernel = grid_.kernel();
  const std::byte* from = lane.context + kernel.localOffset + uint64_t{lane.laneid} * kernel.localBytes;
  return address >= from && address + bytes <= from + kernel.localBytes;
}

// Local memory, of functions that are called too, and parameters.
bool AccessCheck::isOwn(const Lane& lane, const std::byte* address, uint32_t bytes) const {
  const auto params = grid_.params();
  const auto in = [&](const std::byte* from, size_t size) {
    return address >= from && address + bytes <= from + size;
  };
  return isInLocal(lane, address, bytes) || in(grid_.runner().stack, grid_.runner().stackBytes) ||
         in(params.data(), params.size());
}

// What nearly all accesses are: aligned, within the buffer of the last one here, and beside nobody of another
// block. Marks it where it is so.
[[gnu::always_inline]] inline bool AccessCheck::isUsual(const Lane& lane, SimulatedBuffer& buffer,
                                                        uint64_t at, const SimulatedAccess& access) const {
  const uint32_t bytes = access.bytes, shift = buffer.cellShift;
  if (at >= buffer.bytes || at + bytes > buffer.bytes ||
      (reinterpret_cast<uintptr_t>(buffer.address + at) & (access.alignment() - 1)) != 0 ||
      bytes >> shift == 0 || buffer.marks.isEmpty())
    return false;
  const SimBlock& block = *lane.block;
  const uint32_t self = threadNumber(block.number, lane.index), now = grid_.time() << 1;
  const uint32_t floor = buffer.floor << 1;
  // Nobody used it in this launch, or in the life of this block: of one cell that is seen at once.
  if (bytes >> shift == 1 && (buffer.isWritten || (access.kind & kAccessWrites) != 0)) {
    CellMarks& cell = *buffer.marks.at(at >> shift);
    if (std::max(cell.written.time, cell.read.time) < floor) {
      ((access.kind & kAccessWrites) != 0 ? cell.written : cell.read) = {now, self};
      return true;
    }
  }
  const uint32_t synced = std::max(block.synced, buffer.floor) << 1;
  const uint32_t begin = begin_ << 1;
  const auto isBefore = [&](const AccessMark& mark) {
    const bool isOwn = mark.time >= begin && (mark.thread ^ self) >> kPlaceBits == 0;
    return mark.time < floor || (isOwn && (mark.thread == self || mark.time < synced));
  };
  CellMarks* cell = buffer.marks.at(at >> shift);
  const CellMarks* end = cell + (bytes >> shift);
  const bool writes = (access.kind & kAccessWrites) != 0;
  for (const CellMarks* each = cell; each < end; ++each) {
    if (!isBefore(each->written) || (writes && !isBefore(each->read))) return false;
    if (!writes && !buffer.isWritten && each->written.time < std::max(floor, 2u)) return false;
  }
  for (; cell < end; ++cell) {
    if (writes) {
      cell->written = {now, self};
    } else if (isBefore(cell->read)) {
      cell->read = {now, self};
    } else if (cell->read.time < begin) {
      continue;  // of a launch beside this one, which says more
    } else if ((cell->read.thread ^ self) >> kPlaceBits == 0) {
      const uint32_t place = cell->read.thread & kPlaceMask,
                     several = kSeveralOfWarp + lane.index / kSimLanes;
      const bool isOfWarp = place == several || place / kSimLanes == lane.index / kSimLanes;
      cell->read = {now, threadNumber(block.number, isOfWarp ? several : kSeveralOfBlock)};
    } else {
      cell->read = {now, kSeveralBlocks};
    }
  }
  return true;
}

void AccessCheck::access(Lane& lane, std::byte* address, uint32_t site) {
  settle();
  const SimulatedAccess& known = grid_.kernel().accesses[site];
  SimulatedBuffer* last = lastOf_[site];
  if (last != nullptr && (known.kind & kAccessAtomic) == 0 &&
      isUsual(lane, *last, static_cast<uint64_t>(address - last->address), known))
    return;
  if ((known.kind & kAccessLocal) == 0) lastOf_[site] = bufferOf(lane, address);
  look(lane, address, known, true);
}

void AccessCheck::access(Lane& lane, std::byte* address, const SimulatedAccess& access) {
  settle();
  look(lane, address, access, false);
}

// `isNext`: nothing else comes between this and the access.
void AccessCheck::look(Lane& lane, std::byte* address, const SimulatedAccess& access, bool isNext) {
  const uint32_t bytes = access.bytes;
  if ((access.kind & kAccessLocal) != 0) {
    if (!isOwn(lane, address, bytes)) outOfBounds(lane, address, access);
    return;
  }
  if (isOwn(lane, address, bytes)) return;
  SimulatedBuffer* buffer = bufferOf(lane, address);
  if (buffer == nullptr || address + bytes > buffer->address + buffer->bytes)
    return outOfBounds(lane, address, access);
  const auto at = static_cast<uint64_t>(address - buffer->address);
  if (reinterpret_cast<uintptr_t>(address) % access.alignment() != 0)
    find(lane, access.line, "misaligned", [&] {
      return fmt::format("it {} {} bytes at {}, byte {} of {}, which is no multiple of {}", verb(access.kind),
                         bytes, static_cast<const void*>(address), at, buffer->name, access.alignment());
    });
  mark(lane, *buffer, at, access, isNext);
  if ((access.kind & kAccessAtomic) == 0) return;
  if ((access.kind & kAccessReads) != 0) orders_.see(lane, address);
  if ((access.kind & kAccessWrites) != 0) orders_.publish(lane, address);
}

void AccessCheck::outOfBounds(Lane& lane, const std::byte* address, const SimulatedAccess& access) {
  // stop() does not come back: nothing here may hold memory but what it is given.
  grid_.stop(lane, access.line, "out-of-bounds", wordsFor(lane, address, access));
}

std::string AccessCheck::wordsFor(const Lane& lane, const std::byte* address,
                                  const SimulatedAccess& access) const {
  const SimulatedBuffer* near = memory_ != nullptr ? memory_->nearest(address) : nullptr;
  std::string where = "no buffer is known";
  if ((access.kind & kAccessLocal) != 0) {
    const SimulatedKernel& kernel = grid_.kernel();
    const std::byte* from = lane.context + kernel.localOffset + uint64_t{lane.laneid} * kernel.localBytes;
    where = fmt::format("byte {} of its local memory, which has {}", address - from, kernel.localBytes);
  } else if ((access.kind & kAccessShared) != 0) {
    where = fmt::format("byte {} of shared memory, which has {}", address - lane.shared,
                        lane.block->window.bytes);
  } else if (near != nullptr) {
    where = fmt::format("byte {} of {}, which has {}", address - near->address, near->name, near->bytes);
  }
  return fmt::format("it {} {} bytes at {}: {}", verb(access.kind), access.bytes,
                     static_cast<const void*>(address), where);
}

bool AccessCheck::isBefore(const AccessMark& mark, const Lane& lane, uint32_t floor) const {
  const uint32_t time = mark.time >> 1;
  if (time >= begin_) return orders_.isBefore(mark, lane, floor);
  return memory_ == nullptr || memory_->besides(time) == nullptr;
}

// Of a reader beside others that nothing orders it with: that there are several.
AccessMark AccessCheck::readMark(const AccessMark& before, const AccessMark& now, const Lane& lane,
                                 uint32_t floor) const {
  if (before.time == 0 || isBefore(before, lane, floor)) return now;
  if (before.time >> 1 < begin_) return before;                // of a launch beside this one, which says more
  const uint32_t time = now.time & ((before.time & 1) | ~1u);  // atomic only where all are
  if ((before.thread ^ now.thread) >> kPlaceBits != 0) return {time, kSeveralBlocks};
  const uint32_t place = before.thread & kPlaceMask, several = kSeveralOfWarp + lane.warpid;
  const bool isOfWarp = place == several || place / kSimLanes == lane.warpid;
  return {time, threadNumber(lane.block->number, isOfWarp ? several : kSeveralOfBlock)};
}

void AccessCheck::mark(Lane& lane, SimulatedBuffer& buffer, uint64_t at, const SimulatedAccess& access,
                       bool isNext) {
  bool hasRoom = !buffer.marks.isEmpty() || buffer.makeMarks();
  const uint64_t unit = std::min<uint64_t>(access.bytes, at == 0 ? 4 : at & -at);
  if (unit < uint64_t{1} << buffer.cellShift) hasRoom = hasRoom && buffer.divideCells(unit);
  if (!hasRoom)
    grid_.stop(lane, access.line, "out-of-memory",
               "no memory is left to keep who used which byte: check mode takes up to 16 bytes for each");
  const bool writes = (access.kind & kAccessWrites) != 0, reads = (access.kind & kAccessReads) != 0;
  const uint32_t isAtomic = (access.kind & kAccessAtomic) != 0;
  const AccessMark now{grid_.time() << 1 | isAtomic, numberOf(lane)};
  bool isNew = false;
  std::optional<AccessMark> written, read;  // those that race
  const uint64_t first = at >> buffer.cellShift, last = (at + access.bytes - 1) >> buffer.cellShift;
  for (uint64_t i = first; i <= last; ++i) {
    CellMarks& cell = *buffer.marks.at(i);
    const auto races = [&](const AccessMark& mark) {
      return mark.time != 0 && !isBefore(mark, lane, buffer.floor) &&
             !(isAtomic != 0 && (mark.time & 1) != 0);
    };
    if (reads && !buffer.isWritten && cell.written.time >> 1 < (buffer.isShared ? buffer.floor : 1))
      isNew = true;
    if (!written && races(cell.written)) written = cell.written;
    if (!read && writes && races(cell.read)) read = cell.read;
    if (writes) cell.written = now;
    if (reads) cell.read = written || read ? now : readMark(cell.read, now, lane, buffer.floor);
  }
  if (isNew)
    find(lane, access.line, "never-written", [&] {
      return fmt::format("it reads {} bytes at byte {} of {}, which nobody wrote", access.bytes, at,
                         buffer.name);
    });
  if (read || written)
    tell(lane, {&buffer, at, access, read ? *read : *written, read.has_value()}, isNext && !read && !reads);
}

// `isNext`: a write over what was written, of which it will be seen what it leaves.
void AccessCheck::tell(Lane& lane, const Race& race, bool isNext) {
  const uint32_t line = race.access.line;
  if (!isNext) return find(lane, line, "race", [&] { return wordsFor(race); });
  if (isTold("race", line) && isTold("same-value", line)) return;
  const std::byte* address = race.buffer->address + race.at;
  overwrite_ = {&lane, race, {address, address + race.access.bytes}};
}

std::string AccessCheck::wordsFor(const Race& race) const {
  return fmt::format("it {} {} bytes at byte {} of {}, which {} {} with nothing to order them",
                     verb(race.access.kind), race.access.bytes, race.at, race.buffer->name,
                     idText(race.other), race.otherReads ? "read" : "wrote");
}

// Now it took place: two threads that write the same leave the same, whoever comes first.
void AccessCheck::settleOverwrite() {
  const Overwrite last = *std::exchange(overwrite_, std::nullopt);
  const std::byte* address = last.race.buffer->address + last.race.at;
  const bool isSame = std::ranges::equal(std::span(address, last.before.size()), last.before);
  const char* kind = isSame ? "same-value" : "race";
  const uint32_t line = last.race.access.line;
  if (isTold(kind, line)) return;
  Diagnostic told = grid_.about(*last.lane, line, kind, wordsFor(last.race));
  if (isSame) {
    told.severity = Severity::kNote;
    told.message += "; it writes what is there";
  }
  add(std::move(told));
}

std::string AccessCheck::idText(const AccessMark& mark) const {
  if (memory_ != nullptr) {
    if (const auto* launch = memory_->besides(mark.time >> 1))
      return fmt::format("the launch of {} on stream {}", launch->kernel, launch->stream);
  }
  if (mark.thread == kSeveralBlocks) return "threads of several blocks";
  if ((mark.thread & kPlaceMask) >= kSeveralOfWarp)
    return fmt::format("several threads of block {}", mark.thread >> kPlaceBits);
  return fmt::format("thread {} of block {}", mark.thread & kPlaceMask, mark.thread >> kPlaceBits);
}

void AccessCheck::divergentBarrier(Lane& lane, uint32_t line, uint32_t otherLine) {
  find(lane, line, "divergent-barrier", [&] {
    return fmt::format("it waits at a barrier where others of its block wait at that of line {}", otherLine);
  });
}

void AccessCheck::endedBefore(Lane& waiting, const Lane& ended, uint32_t line) {
  find(waiting, line, "divergent-barrier", [&] {
    return fmt::format("part of the block reaches the barrier: thread {} of it ended before", ended.index);
  });
}

bool AccessCheck::isTold(const char* kind, uint32_t line) const {
  return report_.findings.size() >= kMostFindings || told_.contains({kind, line});
}

void AccessCheck::add(Diagnostic finding) {
  told_.emplace(finding.kind, finding.place.line);
  report_.findings.push_back(std::move(finding));
}

}  // namespace hilo
