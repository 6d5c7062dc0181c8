#include "core/analysis/kernel_layouts/bank_conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int64_t kWidestBytes = 16;

int64_t bitAt(const RegisterMap& registers, const SharedMap& shared, const RegisterPlace& place) {
  return shared.bitOf(*registers.elementAt(place));
}

// How many elements from `slot` on every lane of every warp can move as one, for the register `reg`: a power
// of two whose elements lie side by side at a multiple of their own width.
int64_t elementsAtOnce(const RegisterMap& registers, const SharedMap& shared, int64_t reg) {
  const int64_t bits = shared.elementBits();
  int64_t count = 1;
  while (count * 2 <= registers.vectorLength() && registers.vectorLength() % (count * 2) == 0 &&
         count * 2 * bits <= kWidestBytes * 8)
    count *= 2;
  const auto fits = [&](int64_t elements) {
    for (int64_t thread = 0; thread < kThreadsOfWarpgroup; ++thread) {
      RegisterPlace place{thread / kLanesOfWarp, thread % kLanesOfWarp, reg, 0};
      for (; place.slot < registers.vectorLength(); place.slot += elements) {
        const int64_t first = bitAt(registers, shared, place);
        if (first % (elements * bits) != 0) return false;
        for (int64_t next = 1; next < elements; ++next) {
          RegisterPlace other = place;
          other.slot += next;
          if (bitAt(registers, shared, other) != first + next * bits) return false;
        }
      }
    }
    return true;
  };
  while (count > 1 && !fits(count)) count /= 2;
  return count;
}

// Lanes that move at once make one wavefront, or as many as words of the fullest bank.
WarpAccess accessOf(const RegisterMap& registers, const SharedMap& shared, RegisterPlace place,
                    int64_t bytes) {
  WarpAccess access{.warp = place.warp, .reg = place.reg, .slot = place.slot, .bytes = bytes};
  const int64_t lanesAtOnce = std::min(kLanesOfWarp, kSharedBanks * kBankBytes / bytes);
  for (int64_t first = 0; first < kLanesOfWarp; first += lanesAtOnce) {
    std::array<std::set<int64_t>, kSharedBanks> words;
    for (place.lane = first; place.lane < first + lanesAtOnce; ++place.lane) {
      const int64_t byte = bitAt(registers, shared, place) / 8;
      for (int64_t word = byte / kBankBytes; word <= (byte + bytes - 1) / kBankBytes; ++word)
        words[word % kSharedBanks].insert(word);
    }
    size_t fullest = 0;
    for (const auto& inBank : words) fullest = std::max(fullest, inBank.size());
    access.wavefronts += static_cast<int64_t>(fullest);
    ++access.least;
  }
  return access;
}

}  // namespace

int64_t SharedTransfer::wavefronts() const {
  int64_t sum = 0;
  for (const WarpAccess& access : accesses) sum += access.wavefronts;
  return sum;
}

int64_t SharedTransfer::least() const {
  int64_t sum = 0;
  for (const WarpAccess& access : accesses) sum += access.least;
  return sum;
}

Result<SharedTransfer> planTransfer(const RegisterMap& registers, const SharedMap& shared) {
  if (registers.shape() != shared.shape())
    return fail("kernel-transfer", fmt::format("registers hold {}, shared memory {}",
                                               tupleText(registers.shape()), tupleText(shared.shape())));
  if (std::holds_alternative<SplatLayout>(registers.layout()))
    return fail("kernel-transfer",
                "a splat has one register for all elements: it is stored by the layout of its reader");
  SharedTransfer transfer;
  int64_t atOnce = registers.vectorLength();
  for (int64_t reg = 0; reg < registers.registersPerThread(); ++reg)
    atOnce = std::min(atOnce, elementsAtOnce(registers, shared, reg));
  const int64_t bits = atOnce * shared.elementBits();
  if (bits % 8 != 0)
    return fail("kernel-transfer",
                fmt::format("{} elements of {} bits lie side by side, which is no whole byte", atOnce,
                            shared.elementBits()));
  for (int64_t warp = 0; warp < kWarpsOfWarpgroup; ++warp)
    for (int64_t reg = 0; reg < registers.registersPerThread(); ++reg)
      for (int64_t slot = 0; slot < registers.vectorLength(); slot += atOnce)
        transfer.accesses.push_back(accessOf(registers, shared, {warp, 0, reg, slot}, bits / 8));
  return transfer;
}

}  // namespace hilo
