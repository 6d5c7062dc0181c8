// Private to the room: check mode. Each access is held against the memory that is known, and against who used
// the same bytes before. Time is counted in events that order threads: barriers, operations of warps, fences.
// Of two accesses of which one writes, by two threads, one must be before such an event of both. What orders
// more than it must (a barrier of some threads is taken for one of the block) hides a race, and never tells
// one that is none.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/runtime/device/simulated/grid.h"

namespace hilo {

class AccessCheck {
 public:
  AccessCheck(Grid& grid, SimulatedMemory* memory, SimulatedMemory* globals, SimulatedReport& report);

  // Of compiled code, before the access. Ends the launch where it is out of bounds.
  void access(Lane& lane, std::byte* address, uint32_t bytes, uint32_t kind, uint32_t line);
  void branch(Lane& lane, bool taken, uint32_t line);
  // What others released is seen by the lane's block, and what it wrote by those that do the same later.
  void fence(Lane& lane);
  void release(Lane& lane) { fence(lane); }
  void acquire(Lane& lane) { fence(lane); }
  void warpMet(Warp& warp, uint32_t lanes);
  void barrierMet(SimBlock& block, const BlockBarrier& barrier);
  void divergentBarrier(Lane& lane, uint32_t line, uint32_t otherLine);
  void endedBefore(Lane& waiting, const Lane& ended, uint32_t line);

  void beginBlock(SimBlock& block);
  void endBlock(SimBlock& block);

 private:
  SimulatedBuffer* bufferOf(Lane& lane, std::byte* address);
  bool isOwn(const Lane& lane, const std::byte* address, uint32_t bytes) const;
  void outOfBounds(Lane& lane, const std::byte* address, uint32_t bytes, uint32_t kind, uint32_t line);
  // "it reads 4 bytes at 0x7f00: byte 4096 of argument 1, which has 4096"
  std::string wordsFor(const Lane& lane, const std::byte* address, uint32_t bytes, uint32_t kind) const;
  void markBytes(Lane& lane, SimulatedBuffer& buffer, uint64_t at, uint32_t bytes, uint32_t kind,
                 uint32_t line);
  AccessMark readMark(const AccessMark& before, const AccessMark& now, const Lane& lane) const;
  bool isOrdered(const AccessMark& mark, const Lane& lane) const;
  void find(Lane& lane, uint32_t line, const char* kind, std::string message);

  Grid& grid_;
  SimulatedMemory* memory_;
  SimulatedMemory* globals_;
  SimulatedReport& report_;
  absl::flat_hash_set<std::pair<std::string, uint32_t>> told_;
  absl::flat_hash_map<uint64_t, std::vector<uint32_t>> released_;  // by block, when: each fence of it
};

}  // namespace hilo
