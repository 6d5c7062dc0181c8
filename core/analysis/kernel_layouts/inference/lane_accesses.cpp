#include "core/analysis/kernel_layouts/inference/lane_accesses.h"

#include <algorithm>
#include <bitset>
#include <numeric>

#include "core/analysis/kernel_layouts/bank_conflicts.h"
#include "core/analysis/kernel_layouts/register_layout.h"
#include "core/analysis/saturating.h"

namespace hilo::inference {
namespace {

constexpr int64_t kWidestBytes = 16;
constexpr int64_t kMostBanks = kSharedBanks * kBankBytes;
constexpr int64_t kMostRegisters = 1 << 13;  // of a thread; shared memory holds fewer

int64_t countOf(const std::vector<StridedSize>& dimensions) {
  int64_t count = 1;
  for (const StridedSize& dimension : dimensions) count = saturatingMultiply(count, dimension.size);
  return count;
}

// Index within the dimensions of the `position`th.
Sizes indexOf(int64_t position, const std::vector<StridedSize>& dimensions) {
  Sizes index(dimensions.size());
  for (size_t i = dimensions.size(); i-- > 0; position /= dimensions[i].size)
    index[i] = position % dimensions[i].size;
  return index;
}

int64_t offsetOf(const Sizes& index, const std::vector<StridedSize>& dimensions) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * dimensions[i].stride;
  return offset;
}

// Banks narrower than 4 bytes when a lane moves less: lanes that share a word then seem apart, and lanes of
// one word never seem to disagree.
struct Banks {
  int64_t wavefronts = 1;  // of one access
  int64_t elements = 1;    // of a bank
  int64_t count = kSharedBanks;
};

Banks banksOf(const LaneAccesses& accesses) {
  const int64_t bytes = accesses.vectorLength * accesses.elementBits / 8;
  const int64_t wide = std::min(kBankBytes, bytes);
  return {bytes / wide, wide * 8 / accesses.elementBits, kSharedBanks * (kBankBytes / wide)};
}

class Conflicts {
 public:
  explicit Conflicts(const LaneAccesses& accesses) : accesses_(accesses), banks_(banksOf(accesses)) {
    for (int64_t lane = 0; lane < kLanesOfWarp; ++lane) {
      const Sizes index = indexOf(lane, accesses.lanes);
      bool isCopy = false;
      for (size_t i = 0; i < index.size(); ++i)
        isCopy = isCopy || (index[i] != 0 && accesses.lanes[i].stride == 0);
      isCopy_[lane] = isCopy;
      laneOffsets_.push_back(offsetOf(index, accesses.lanes));
    }
  }

  bool areThere(const AccessPlan& plan) const {
    const int64_t registers = countOf(accesses_.registers);
    for (int64_t reg = 0; reg < registers; ++reg)
      if (areThere(indexOf(reg, accesses_.registers), plan)) return true;
    return false;
  }

 private:
  bool areThere(Sizes index, const AccessPlan& plan) const {
    const int64_t first = offsetOf(index, accesses_.registers);
    int64_t second = first;
    if (plan.stagger != 0) {
      int64_t& moved = index[plan.dimension];
      moved = (moved + plan.stagger) % accesses_.registers[plan.dimension].size;
      second = offsetOf(index, accesses_.registers);
    }
    const int64_t lanesAtOnce = kLanesOfWarp / banks_.wavefronts;
    for (int64_t wave = 0; wave < banks_.wavefronts; ++wave) {
      std::bitset<kMostBanks> taken;
      for (int64_t lane = wave * lanesAtOnce; lane < (wave + 1) * lanesAtOnce; ++lane) {
        if (isCopy_[lane]) continue;
        const bool isSecond = plan.stagger != 0 && lane / plan.groupLanes % 2 == 1;
        const int64_t bank = bankOf(laneOffsets_[lane] + (isSecond ? second : first));
        if (taken[bank]) return true;
        taken[bank] = true;
      }
    }
    return false;
  }

  int64_t bankOf(int64_t offset) const {
    const int64_t line = 128 * 8 / accesses_.elementBits, chunk = 16 * 8 / accesses_.elementBits;
    const int64_t exchanged = offset / line % (accesses_.swizzleBytes / 16) * chunk;
    return (offset ^ exchanged) / banks_.elements % banks_.count;
  }

  const LaneAccesses& accesses_;
  Banks banks_;
  std::bitset<kLanesOfWarp> isCopy_;
  Sizes laneOffsets_;
};

// All offsets are multiples of one that divides a chunk of 16 bytes, or vectors are wider than that.
bool staysInChunks(const LaneAccesses& accesses) {
  int64_t common = 0;
  for (const auto* dimensions : {&accesses.registers, &accesses.warps, &accesses.lanes})
    for (const StridedSize& dimension : *dimensions)
      if (dimension.size > 1) common = std::gcd(common, dimension.stride);
  const int64_t chunk = 16 * 8 / accesses.elementBits;
  return common == 0 || chunk % common == 0 || accesses.vectorLength > common;
}

bool hasWidth(const LaneAccesses& accesses) {
  const int64_t bits = accesses.vectorLength * accesses.elementBits;
  if (bits % 8 != 0 || bits / 8 > kWidestBytes || accesses.elementBits > kBankBytes * 8) return false;
  return kLanesOfWarp % banksOf(accesses).wavefronts == 0;
}

}  // namespace

std::optional<AccessPlan> planAccesses(const LaneAccesses& accesses) {
  if (!hasWidth(accesses) || !staysInChunks(accesses) || countOf(accesses.registers) > kMostRegisters)
    return std::nullopt;
  const Conflicts conflicts(accesses);
  if (!conflicts.areThere({})) return AccessPlan{};
  const int64_t turn = kSharedBanks * banksOf(accesses).elements;
  for (size_t i = 0; i < accesses.registers.size(); ++i) {
    const auto [size, stride] = accesses.registers[i];
    if (size <= 1 || stride % turn == 0) continue;
    for (int64_t groupLanes = 1; groupLanes < kLanesOfWarp; groupLanes *= 2)
      for (int64_t stagger = 1; stagger < size; ++stagger)
        if (const AccessPlan plan{i, stagger, groupLanes}; !conflicts.areThere(plan)) return plan;
  }
  return std::nullopt;
}

}  // namespace hilo::inference
