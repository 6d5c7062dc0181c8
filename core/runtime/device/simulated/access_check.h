// Private to the room: check mode. Each access is held against the memory that is known, and against who used
// the same bytes before: of two accesses by two threads of which one writes, thread_order.h must say that one
// is before the other.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <optional>

#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/thread_order.h"

namespace hilo {

class AccessCheck {
 public:
  AccessCheck(Grid& grid, SimulatedMemory* memory, SimulatedMemory* globals, SimulatedReport& report);

  // Of compiled code, right before the access; `site` is one of the kernel's accesses. Ends the launch where
  // it is out of bounds.
  void access(Lane& lane, std::byte* address, uint32_t site);
  // Of what this room does for a lane.
  void access(Lane& lane, std::byte* address, const SimulatedAccess& access);
  void divergentBarrier(Lane& lane, uint32_t line, uint32_t otherLine);
  void endedBefore(Lane& waiting, const Lane& ended, uint32_t line);
  ThreadOrderings& orders() { return orders_; }

  // What waits to be told of the last access is told, before anything changes that it speaks of.
  void settle() {
    if (overwrite_) settleOverwrite();
  }
  uint32_t beginLaunch();
  void endLaunch(uint32_t time);
  void beginBlock(SimBlock& block);

 private:
  // An access beside another's, nothing ordering them.
  struct Race {
    const SimulatedBuffer* buffer;
    uint64_t at;
    SimulatedAccess access;
    AccessMark other;
    bool otherReads;
  };
  // A write of what another thread wrote, as it was before it took place.
  struct Overwrite {
    const Lane* lane;
    Race race;
    absl::InlinedVector<std::byte, 32> before;
  };

  // An access of compiled code.
  struct Site {
    SimulatedAccess access;
    uint32_t alignment;
    int bytesShift;  // its bytes are 1 << bytesShift
    bool writes;
    SimulatedBuffer* last = nullptr;  // where it was last; null where the access takes more than a look
  };
  // The thread that accesses, and what is before it: times and thread as in marks.
  struct Present {
    uint32_t now, self, floor, synced, begin;
    bool isAfter(const AccessMark& mark) const;
  };

  void look(Lane& lane, std::byte* address, const SimulatedAccess& access, bool isNext);
  void settleOverwrite();
  Present presentOf(const Lane& lane, const SimulatedBuffer& buffer) const;
  bool isUsual(const Lane& lane, SimulatedBuffer& buffer, uint64_t at, const SimulatedAccess& access) const;
  static void markRead(AccessMark& read, const Lane& lane, const Present& present);
  bool isNextOfRun(const Site& site, uint64_t place, const Present& present) const;
  bool isOneCell(const Site& site, uint64_t place, const Lane& lane, const Present& present) const;
  void accessOtherwise(Lane& lane, std::byte* address, Site& site);
  template <bool kWrites>
  bool isOfRun(LineMarks& line, uint32_t cell, uint32_t unitShift, bool isWritten,
               const Present& present) const;
  SimulatedBuffer* bufferOf(Lane& lane, std::byte* address);
  bool isOwn(const Lane& lane, const std::byte* address, uint32_t bytes) const;
  bool isInLocal(const Lane& lane, const std::byte* address, uint32_t bytes) const;
  void outOfBounds(Lane& lane, const std::byte* address, const SimulatedAccess& access);
  // "it reads 4 bytes at 0x7f00: byte 4096 of argument 1, which has 4096"
  std::string wordsFor(const Lane& lane, const std::byte* address, const SimulatedAccess& access) const;
  std::string idText(const AccessMark& mark) const;
  void mark(Lane& lane, SimulatedBuffer& buffer, uint64_t at, const SimulatedAccess& access, bool isNext);
  AccessMark readMark(const AccessMark& before, const AccessMark& now, const Lane& lane,
                      uint32_t floor) const;
  bool isBefore(const AccessMark& mark, const Lane& lane, uint32_t floor) const;
  void tell(Lane& lane, const Race& race, bool isNext);
  std::string wordsFor(const Race& race) const;
  // `words()` gives the message; nobody asks for it where the line was told before.
  template <typename Words>
  void find(const Lane& lane, uint32_t line, const char* kind, const Words& words) {
    if (!isTold(kind, line)) add(grid_.about(lane, line, kind, words()));
  }
  bool isTold(const char* kind, uint32_t line) const;
  void add(Diagnostic finding);

  Grid& grid_;
  SimulatedMemory* memory_;
  SimulatedMemory* globals_;
  SimulatedReport& report_;
  ThreadOrderings orders_;
  uint32_t begin_ = 1;  // of the launch
  std::vector<Site> sites_;
  std::optional<Overwrite> overwrite_;  // until something else happens
  absl::flat_hash_set<std::pair<std::string, uint32_t>> told_;
};

}  // namespace hilo
