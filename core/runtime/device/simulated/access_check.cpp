#include "core/runtime/device/simulated/access_check.h"

#include <fmt/format.h>

#include <bit>
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
    : grid_(grid), memory_(memory), globals_(globals), report_(report), orders_(grid) {
  for (const SimulatedAccess& access : grid.kernel().accesses)
    sites_.push_back(
        {access, access.alignment(), std::countr_zero(access.bytes), (access.kind & kAccessWrites) != 0});
}

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

inline bool AccessCheck::Present::isAfter(const AccessMark& mark) const {
  const bool isOwn = mark.time >= begin && (mark.thread ^ self) >> kPlaceBits == 0;
  return mark.time < floor || (isOwn && (mark.thread == self || mark.time < synced));
}

[[gnu::always_inline]] inline AccessCheck::Present AccessCheck::presentOf(
    const Lane& lane, const SimulatedBuffer& buffer) const {
  return {.now = grid_.time() << 1,
          .self = threadNumber(lane.block->number, lane.index),
          .floor = buffer.floor << 1,
          .synced = std::max(lane.block->synced, buffer.floor) << 1,
          .begin = begin_ << 1};
}

// Of a reader beside others that nothing orders it with: that there are several.
[[gnu::always_inline]] inline void AccessCheck::markRead(AccessMark& read, const Lane& lane,
                                                         const Present& present) {
  if (present.isAfter(read)) {
    read = {present.now, present.self};
  } else if (read.time < present.begin) {
    return;  // of a launch beside this one, which says more
  } else if ((read.thread ^ present.self) >> kPlaceBits != 0) {
    read = {present.now, kSeveralBlocks};
  } else {
    const uint32_t warp = lane.index / kSimLanes, several = kSeveralOfWarp + warp;
    const uint32_t place = read.thread & kPlaceMask;
    if (read.time == present.now && (place == several || place == kSeveralOfBlock)) return;
    const bool isOfWarp = place == several || place / kSimLanes == warp;
    read = {present.now, threadNumber(lane.block->number, isOfWarp ? several : kSeveralOfBlock)};
  }
}

// Whether the access goes on with the run of its line, or begins one, beside nobody. Marks it where it is so.
template <bool kWrites>
[[gnu::always_inline]] inline bool AccessCheck::isOfRun(LineMarks& line, uint32_t cell, uint32_t unitShift,
                                                        bool isWritten, const Present& present) const {
  RunMarks& own = kWrites ? line.written : line.read;
  const RunMarks& other = kWrites ? line.read : line.written;
  const uint32_t first = present.self - (cell >> unitShift), cells = 1u << unitShift;
  if ((cell & (cells - 1)) != 0 || cells > kLineCells) return false;
  if (other.time >= present.floor || !isWritten) {
    if (other.unitShift != unitShift && !other.isWhole()) return false;
    const AccessMark mark = other.of(cell);
    if (!present.isAfter(mark) || (other.time >= present.floor && other.unitShift != unitShift)) return false;
    if (!kWrites && !isWritten && mark.time < 2) return false;
  }
  const bool isSame = own.thread == first && own.unitShift == unitShift;
  if (isSame && own.time == present.now) {
    if (cell == own.cells) own.cells = static_cast<uint8_t>(cell + cells);
    return cell < own.cells;
  }
  // What is of launches before this one is so whoever it was.
  if (cell != 0 || !own.isWhole() || !(own.time < present.floor || (isSame && own.time >= present.begin)))
    return false;
  own = {present.now, own.time, first, static_cast<uint8_t>(cells), static_cast<uint8_t>(unitShift)};
  return true;
}

// What nearly all accesses are: aligned, within the buffer of the last one here, and beside nobody of another
// block. Marks it where it is so.
bool AccessCheck::isUsual(const Lane& lane, SimulatedBuffer& buffer, uint64_t at,
                          const SimulatedAccess& access) const {
  const uint32_t bytes = access.bytes, shift = buffer.cellShift, cells = bytes >> shift;
  if (at >= buffer.bytes || at + bytes > buffer.bytes ||
      (reinterpret_cast<uintptr_t>(buffer.address + at) & (access.alignment() - 1)) != 0 || cells == 0 ||
      buffer.marks.isEmpty())
    return false;
  const Present present = presentOf(lane, buffer);
  const bool writes = (access.kind & kAccessWrites) != 0;
  const uint64_t first = at >> shift;
  if (buffer.marks.hasRuns() && !buffer.marks.line(first).isSpread()) {
    LineMarks& line = buffer.marks.line(first);
    const auto place = static_cast<uint32_t>(first & (kLineCells - 1));
    const auto unitShift = static_cast<uint32_t>(std::countr_zero(cells));
    if (writes ? isOfRun<true>(line, place, unitShift, buffer.isWritten, present)
               : isOfRun<false>(line, place, unitShift, buffer.isWritten, present))
      return true;
  }
  CellMarks* cell = buffer.marks.at(first);
  if (cells > 1) buffer.marks.at(first + cells - 1);  // in the line after it, maybe
  const CellMarks* end = cell + cells;
  for (const CellMarks* each = cell; each < end; ++each) {
    if (!present.isAfter(each->written) || (writes && !present.isAfter(each->read))) return false;
    if (!writes && !buffer.isWritten && each->written.time < std::max(present.floor, 2u)) return false;
  }
  for (; cell < end; ++cell) {
    if (writes) {
      cell->written = {present.now, present.self};
    } else {
      markRead(cell->read, lane, present);
    }
  }
  return true;
}

// The lane after the one that was at the cells before it, beside nobody or what these lanes did themselves.
[[gnu::always_inline]] inline bool AccessCheck::isNextOfRun(const Site& site, uint64_t place,
                                                            const Present& present) const {
  const SimulatedBuffer& buffer = *site.last;
  const auto cell = static_cast<uint32_t>(place & (kLineCells - 1));
  const int unitShift = site.bytesShift - static_cast<int>(buffer.cellShift);
  const bool writes = site.writes;
  LineMarks& line = site.last->marks.line(place);
  RunMarks& own = writes ? line.written : line.read;
  const RunMarks& other = writes ? line.read : line.written;
  if (own.time != present.now || own.cells != cell || own.unitShift != unitShift ||
      own.thread != present.self - (cell >> own.unitShift) || !(writes || buffer.isWritten))
    return false;
  const bool isOwn =
      other.time >= present.begin && other.thread == own.thread && other.unitShift == own.unitShift;
  if (other.time >= present.floor && !isOwn) return false;
  own.cells = static_cast<uint8_t>(cell + (1u << own.unitShift));
  return true;
}

// One cell that has marks of its own, beside nobody of another block.
[[gnu::always_inline]] inline bool AccessCheck::isOneCell(const Site& site, uint64_t place, const Lane& lane,
                                                          const Present& present) const {
  SimulatedBuffer& buffer = *site.last;
  if (site.bytesShift != static_cast<int>(buffer.cellShift)) return false;
  CellMarks& cell = *buffer.marks.ownAt(place);
  if (!present.isAfter(cell.written)) return false;
  if (site.writes) {
    if (!present.isAfter(cell.read)) return false;
    cell.written = {present.now, present.self};
    return true;
  }
  if (!buffer.isWritten && cell.written.time < std::max(present.floor, 2u)) return false;
  markRead(cell.read, lane, present);
  return true;
}

// Few instructions, as there are many accesses; what is not seen at once accessOtherwise() does.
void AccessCheck::access(Lane& lane, std::byte* address, uint32_t site) {
  Site& known = sites_[site];
  SimulatedBuffer* last = known.last;
  if (last == nullptr || overwrite_) return accessOtherwise(lane, address, known);
  const auto at = static_cast<uint64_t>(address - last->address);
  if (at >= last->bytes || last->bytes - at < known.access.bytes ||
      (reinterpret_cast<uintptr_t>(address) & (known.alignment - 1)) != 0)
    return accessOtherwise(lane, address, known);
  const Present present = presentOf(lane, *last);
  const uint64_t cell = at >> last->cellShift;
  const bool isRun = last->marks.hasRuns() && !last->marks.line(cell).isSpread();
  if (isRun ? isNextOfRun(known, cell, present) : isOneCell(known, cell, lane, present)) return;
  accessOtherwise(lane, address, known);
}

[[gnu::noinline]] void AccessCheck::accessOtherwise(Lane& lane, std::byte* address, Site& site) {
  settle();
  const SimulatedAccess& access = site.access;
  const auto isIn = [&](const SimulatedBuffer& buffer) {
    return address >= buffer.address && address < buffer.address + buffer.bytes;
  };
  if ((access.kind & (kAccessLocal | kAccessAtomic)) == 0 && (site.last == nullptr || !isIn(*site.last))) {
    site.last = bufferOf(lane, address);
    // Where there is no room look() says so.
    if (site.last != nullptr && site.last->marks.isEmpty() && !site.last->makeMarks()) site.last = nullptr;
  }
  if (site.last != nullptr &&
      isUsual(lane, *site.last, static_cast<uint64_t>(address - site.last->address), access))
    return;
  look(lane, address, access, true);
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
