#include "core/runtime/device/simulated/async_copies.h"

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

void copyNow(Lane& lane, const AsyncCopy& copy) {
  if (AccessCheck* check = lane.grid->check()) {
    if (copy.taken != 0)
      check->access(lane, const_cast<std::byte*>(copy.from), {copy.line, copy.taken, kAccessReads});
    check->access(lane, copy.to, {copy.line, copy.bytes, kAccessWrites});
  }
  std::memcpy(copy.to, copy.from, copy.taken);
  std::memset(copy.to + copy.taken, 0, copy.bytes - copy.taken);
}

}  // namespace

void copyLater(Lane& lane, const AsyncCopy& copy) { lane.copies.push_back(copy); }

void commitCopies(Lane& lane) {
  uint32_t grouped = 0;
  for (const uint32_t count : lane.copyGroups) grouped += count;
  lane.copyGroups.push_back(static_cast<uint32_t>(lane.copies.size()) - grouped);
}

void waitCopies(Lane& lane, uint32_t left) {
  size_t done = 0;
  if (left == kAllCopies) {
    done = lane.copies.size();
    lane.copyGroups.clear();
  } else {
    size_t groups = 0;
    for (; lane.copyGroups.size() - groups > left; ++groups) done += lane.copyGroups[groups];
    lane.copyGroups.erase(lane.copyGroups.begin(),
                          lane.copyGroups.begin() + static_cast<std::ptrdiff_t>(groups));
  }
  for (size_t i = 0; i < done; ++i) copyNow(lane, lane.copies[i]);
  lane.copies.erase(lane.copies.begin(), lane.copies.begin() + static_cast<std::ptrdiff_t>(done));
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
