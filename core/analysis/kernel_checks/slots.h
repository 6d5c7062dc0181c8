// Barriers of a block: slots with phases, as the hardware counts them.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/kernel_checks/clock.h"
#include "core/analysis/kernel_checks/kernel_program.h"

namespace hilo {

class KernelSlots {
 public:
  // The rows of a clock that belong to slots begin at `firstRow`: for each the copies told to
  // it, then its phases.
  KernelSlots(const KernelProgram& program, size_t firstRow);
  size_t rowCount() const { return 2 * slots_.size(); }
  size_t copiesRow(size_t slot) const { return firstRow_ + slot; }

  void arrive(size_t slot, const KernelClock& by);
  void expect(size_t slot, int64_t bytes) { slots_[slot].bytes += bytes; }
  // Copy number `index` of the slot has come, whole.
  void bring(size_t slot, uint32_t index, int64_t bytes);

  // What whoever knows `known` learns from a wait for the end of a phase of this parity; nothing where it
  // has to wait. A wait that may pass by a phase that is known already teaches nothing.
  enum class Wait : uint8_t { Passes, Blocks, Missed };  // missed: the phase is over, and so is the next
  Wait wait(size_t slot, int64_t parity, KernelClock& known) const;

  // "1 of 2 arrivals and 4096 bytes".
  std::string missing(size_t slot) const;
  uint32_t phase(size_t slot) const { return static_cast<uint32_t>(slots_[slot].done.size()); }
  int64_t bytesLeft(size_t slot) const { return slots_[slot].bytes; }

 private:
  struct Slot {
    int64_t arrivals = 1, pending = 1, bytes = 0;
    KernelClock gathered;
    std::vector<KernelClock> done;  // what was known at the end of each phase
  };
  size_t phaseRow(size_t slot) const { return firstRow_ + slots_.size() + slot; }
  void finish(size_t slot);

  size_t firstRow_;
  std::vector<Slot> slots_;
};

}  // namespace hilo
