#include "core/analysis/diff/peak_diff.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace hilo {
namespace {

constexpr size_t kNone = SIZE_MAX;

// A plan at its peak.
class Peak {
 public:
  Peak(const MemoryProfile& profile, const std::vector<InstructionId>& partners)
      : profile_(profile), partners_(partners), pairOf_(profile.placeBytes.size(), kNone) {
    for (size_t i = 0; i < profile.values.size(); ++i) {
      const PlacedValue& value = profile.values[i];
      byName_.emplace(std::pair(value.instruction, value.index), i);
      const bool isLive = profile.placeIsFixed[value.place] ||
                          (value.range.start <= profile.peakStep && profile.peakStep <= value.range.end);
      if (isLive) live_[value.place].push_back(i);
    }
    for (auto& [place, values] : live_) {
      std::ranges::stable_sort(values, std::greater(), [&](size_t i) { return profile.values[i].sizeBytes; });
      places_.push_back(place);
    }
    std::ranges::stable_sort(places_, std::greater(),
                             [&](uint32_t place) { return profile.placeBytes[place]; });
  }

  // Live ones, largest first.
  const std::vector<uint32_t>& places() const { return places_; }
  const std::vector<size_t>& valuesAt(uint32_t place) const { return live_.at(place); }
  int64_t bytes(uint32_t place) const { return profile_.placeBytes[place]; }
  const PlacedValue& value(size_t i) const { return profile_.values[i]; }
  bool isLive(uint32_t place) const { return live_.contains(place); }
  bool isPaired(uint32_t place) const { return pairOf_[place] != kNone; }
  void pair(uint32_t place, uint32_t other) { pairOf_[place] = other; }

  InstructionId partner(const PlacedValue& value) const {
    return value.instruction.value < partners_.size() ? partners_[value.instruction.value] : InstructionId{};
  }
  // What stands for a value of the other module here.
  std::optional<size_t> find(InstructionId instruction, const ShapeIndex& index) const {
    const auto found = byName_.find({instruction, index});
    return found == byName_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  const MemoryProfile& profile_;
  const std::vector<InstructionId>& partners_;  // in the other module, by id
  absl::flat_hash_map<std::pair<InstructionId, ShapeIndex>, size_t> byName_;
  std::map<uint32_t, std::vector<size_t>> live_;  // values by place
  std::vector<uint32_t> places_;
  std::vector<size_t> pairOf_;  // by place
};

// The nearest to being there, of all values at the place.
PeakAbsence absenceOf(const Peak& from, const Peak& to, uint32_t place) {
  PeakAbsence nearest = PeakAbsence::NoInstruction;
  for (const size_t i : from.valuesAt(place)) {
    const PlacedValue& value = from.value(i);
    const InstructionId partner = from.partner(value);
    if (!partner.valid()) continue;
    const auto there = to.find(partner, value.index);
    const PeakAbsence absence = !there                              ? PeakAbsence::NoBytes
                                : to.isLive(to.value(*there).place) ? PeakAbsence::Shared
                                                                    : PeakAbsence::NotLive;
    nearest = std::max(nearest, absence);
  }
  return nearest;
}

std::vector<PeakOnly> onlyIn(const Peak& from, const Peak& to) {
  std::vector<PeakOnly> only;
  for (const uint32_t place : from.places()) {
    if (from.isPaired(place)) continue;
    only.push_back({from.valuesAt(place).front(), from.bytes(place), absenceOf(from, to, place)});
  }
  return only;
}

std::optional<PeakBoth> pairOf(Peak& a, Peak& b, uint32_t place) {
  for (const size_t i : a.valuesAt(place)) {
    const PlacedValue& value = a.value(i);
    const InstructionId partner = a.partner(value);
    const auto there = partner.valid() ? b.find(partner, value.index) : std::nullopt;
    if (!there) continue;
    const uint32_t other = b.value(*there).place;
    if (!b.isLive(other) || b.isPaired(other)) continue;
    a.pair(place, other);
    b.pair(other, place);
    return PeakBoth{i, *there, a.bytes(place), b.bytes(other)};
  }
  return std::nullopt;
}

}  // namespace

std::string_view peakAbsenceName(PeakAbsence absence) {
  constexpr std::string_view kNames[] = {"not in the other module", "no bytes of its own there",
                                         "not live at the peak there", "shares its bytes there"};
  static_assert(std::size(kNames) == static_cast<size_t>(PeakAbsence::Shared) + 1);
  return kNames[static_cast<size_t>(absence)];
}

PeakDiff diffPeaks(const MemoryProfile& a, const MemoryProfile& b, const ModuleMatching& matching) {
  Peak peakA(a, matching.instructionAfter), peakB(b, matching.instructionBefore);
  PeakDiff diff;
  for (const uint32_t place : peakA.places()) {
    if (const auto both = pairOf(peakA, peakB, place)) diff.both.push_back(*both);
  }
  diff.onlyA = onlyIn(peakA, peakB);
  diff.onlyB = onlyIn(peakB, peakA);
  return diff;
}

}  // namespace hilo
