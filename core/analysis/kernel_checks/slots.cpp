#include "core/analysis/kernel_checks/slots.h"

#include <fmt/format.h>

namespace hilo {

KernelSlots::KernelSlots(const KernelProgram& program, size_t firstRow) : firstRow_(firstRow) {
  const size_t rows = firstRow + 2 * program.slotCount();
  for (const KernelBarrier& barrier : program.barriers) {
    for (int64_t n = 0; n < barrier.slots; ++n)
      slots_.push_back(
          {.arrivals = barrier.arrivals, .pending = barrier.arrivals, .gathered = KernelClock(rows)});
  }
}

void KernelSlots::arrive(size_t slot, const KernelClock& by) {
  Slot& at = slots_[slot];
  at.gathered.learn(by);
  --at.pending;
  finish(slot);
}

void KernelSlots::bring(size_t slot, uint32_t index, int64_t bytes) {
  slots_[slot].gathered.learn(copiesRow(slot), index);
  slots_[slot].bytes -= bytes;
  finish(slot);
}

// A phase ends when all have arrived and all bytes have come.
void KernelSlots::finish(size_t slot) {
  Slot& at = slots_[slot];
  if (at.pending != 0 || at.bytes != 0) return;
  at.gathered.learn(phaseRow(slot), phase(slot) + 1);
  at.done.push_back(at.gathered);
  at.pending = at.arrivals;
}

KernelSlots::Wait KernelSlots::wait(size_t slot, int64_t parity, KernelClock& known) const {
  const Slot& at = slots_[slot];
  // Phases are numbered from 0; the wait passes while the last one that ended is of this parity. Before the
  // first, one of parity 1 counts as ended.
  const int64_t knownPhases = known[phaseRow(slot)];
  if ((knownPhases + 1) % 2 == parity) return Wait::Passes;
  const auto ended = static_cast<int64_t>(at.done.size());
  if (ended == knownPhases) return Wait::Blocks;
  if ((ended + 1) % 2 != parity) return Wait::Missed;
  known.learn(at.done[static_cast<size_t>(knownPhases)]);
  return Wait::Passes;
}

std::string KernelSlots::missing(size_t slot) const {
  const Slot& at = slots_[slot];
  std::string text;
  if (at.pending > 0)
    text = fmt::format("{} of {} {}", at.pending, at.arrivals, at.arrivals == 1 ? "arrival" : "arrivals");
  if (at.bytes > 0) text += fmt::format("{}{} bytes", text.empty() ? "" : " and ", at.bytes);
  if (at.bytes < 0)
    text += fmt::format("{}the expectation of {} bytes that came", text.empty() ? "" : " and ", -at.bytes);
  return text;
}

}  // namespace hilo
