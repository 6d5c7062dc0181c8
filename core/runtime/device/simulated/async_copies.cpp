#include "core/runtime/device/simulated/async_copies.h"

#include <bit>
#include <cstring>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {
namespace {

// An mbarrier: arrivals left and arrivals a phase, 20 bits each; bytes left with a bias, 23 bits; the phase.
constexpr uint64_t kCountMask = (1u << 20) - 1;
constexpr int kPhaseShift = 63, kExpectedShift = 20, kBytesShift = 40;
constexpr int64_t kBytesBias = 1 << 22;

struct MbarrierFields {
  uint64_t left, expected, phase;
  int64_t bytes;
};
MbarrierFields fieldsOf(uint64_t bits) {
  return {bits & kCountMask, (bits >> kExpectedShift) & kCountMask, bits >> kPhaseShift,
          static_cast<int64_t>((bits >> kBytesShift) & ((1u << 23) - 1)) - kBytesBias};
}
uint64_t bitsOf(const MbarrierFields& fields) {
  return fields.left | fields.expected << kExpectedShift |
         static_cast<uint64_t>(fields.bytes + kBytesBias) << kBytesShift | fields.phase << kPhaseShift;
}

void endPhase(Lane& lane, MbarrierFields& fields) {
  if (fields.left != 0 || fields.bytes != 0) return;
  fields.left = fields.expected;
  fields.phase ^= 1;
  lane.grid->happened();
}

// In parts of its unit at most.
void checkRange(Lane& lane, const std::byte* from, uint32_t bytes, uint32_t kind, const AsyncCopy& copy) {
  AccessCheck* check = lane.grid->check();
  for (uint32_t at = 0; check != nullptr && at < bytes;) {
    const uint32_t part = std::min(copy.unit, std::bit_floor(bytes - at));
    check->access(lane, const_cast<std::byte*>(from) + at, {copy.line, part, kind});
    at += part;
  }
}

void copyNow(Lane& lane, const AsyncCopy& copy) {
  checkRange(lane, copy.from, copy.taken, kAccessReads, copy);
  checkRange(lane, copy.to, copy.bytes, kAccessWrites, copy);
  std::memcpy(copy.to, copy.from, copy.taken);
  std::memset(copy.to + copy.taken, 0, copy.bytes - copy.taken);
}

}  // namespace

void copyLater(CopyQueue& queue, const AsyncCopy& copy) { queue.copies.push_back(copy); }

void commitCopies(CopyQueue& queue) {
  uint32_t grouped = 0;
  for (const uint32_t count : queue.groups) grouped += count;
  queue.groups.push_back(static_cast<uint32_t>(queue.copies.size()) - grouped);
}

void waitCopies(Lane& lane, CopyQueue& queue, uint32_t left) {
  size_t done = 0;
  auto& groups = queue.groups;
  if (left == kAllCopies) {
    done = queue.copies.size();
    groups.clear();
  } else {
    size_t ended = 0;
    for (; groups.size() - ended > left; ++ended) done += groups[ended];
    groups.erase(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(ended));
  }
  for (size_t i = 0; i < done; ++i) copyNow(lane, queue.copies[i]);
  queue.copies.erase(queue.copies.begin(), queue.copies.begin() + static_cast<std::ptrdiff_t>(done));
}

void finishBulkCopies(Grid& grid, const uint64_t* barrier) {
  auto& copies = grid.bulkCopies();
  for (size_t i = 0; i < copies.size();) {
    const BulkCopy& found = copies[i];
    if (barrier != nullptr && found.barrier != barrier) {
      ++i;
      continue;
    }
    const BulkCopy bulk = std::move(copies[i]);
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
    int64_t bytes = 0;
    for (const AsyncCopy& part : bulk.parts) {
      copyNow(*bulk.by, part);
      bytes += part.bytes;
    }
    addTransactions(*bulk.by, bulk.barrier, -bytes);
  }
}

void initMbarrier(uint64_t* barrier, uint32_t count) { *barrier = bitsOf({count, count, 0, 0}); }

uint64_t arriveMbarrier(Lane& lane, uint64_t* barrier, uint32_t count, bool drops) {
  const uint64_t before = *barrier;
  if (AccessCheck* check = lane.grid->check()) check->orders().release(lane, barrier);
  MbarrierFields fields = fieldsOf(before);
  fields.left -= std::min<uint64_t>(fields.left, count);
  if (drops) fields.expected -= std::min<uint64_t>(fields.expected, count);
  endPhase(lane, fields);
  *barrier = bitsOf(fields);
  return before;
}

void addTransactions(Lane& lane, uint64_t* barrier, int64_t bytes) {
  MbarrierFields fields = fieldsOf(*barrier);
  fields.bytes += bytes;
  AccessCheck* check = lane.grid->check();
  if (check != nullptr && bytes < 0) check->orders().release(lane, barrier);
  // More are expected before an arrival; what completes may end the phase.
  if (bytes < 0) endPhase(lane, fields);
  *barrier = bitsOf(fields);
}

bool isPhaseOver(const uint64_t* barrier, uint64_t state) { return (*barrier ^ state) >> kPhaseShift != 0; }
bool isParityOver(const uint64_t* barrier, uint32_t parity) {
  return (*barrier >> kPhaseShift) != (parity & 1);
}
uint32_t pendingOf(uint64_t state) { return static_cast<uint32_t>(state & kCountMask); }

}  // namespace hilo
