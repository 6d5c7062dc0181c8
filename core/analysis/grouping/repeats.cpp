#include "core/analysis/grouping/repeats.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

namespace hilo {
namespace {

constexpr uint32_t kLeastParts = 3;
constexpr uint32_t kLeastLength = 8;
constexpr size_t kKeepingShare = 5;  // one in so many instructions of a part keeps the rhythm by itself

// Equal for what does the same to values of the same shapes.
uint64_t symbolOf(const Instruction& instruction) {
  size_t hash = absl::HashOf(static_cast<uint32_t>(instruction.opcode()), instruction.shape());
  for (const Instruction* operand : instruction.operands())
    hash = absl::HashOf(hash, static_cast<uint32_t>(operand->opcode()), operand->shape());
  return hash;
}

// The places of one symbol, as far as they follow one another at about the same distance.
struct Beat {
  std::vector<uint32_t> places;
  uint32_t period() const {
    return (places.back() - places.front()) / (static_cast<uint32_t>(places.size()) - 1);
  }
};

std::optional<Beat> beatOf(std::span<const uint32_t> places) {
  if (places.size() < kLeastParts) return std::nullopt;
  std::vector<uint32_t> gaps;
  for (size_t i = 0; i + 1 < places.size(); ++i) gaps.push_back(places[i + 1] - places[i]);
  std::vector<uint32_t> sorted = gaps;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2));
  const uint32_t usual = sorted[sorted.size() / 2];
  if (usual < kLeastLength) return std::nullopt;
  size_t best = 0, bestLength = 0;
  for (size_t begin = 0; begin < gaps.size();) {
    size_t end = begin;
    while (end < gaps.size() && gaps[end] + usual / 4 >= usual && gaps[end] <= usual + usual / 4) ++end;
    if (end - begin > bestLength) {
      best = begin;
      bestLength = end - begin;
    }
    begin = end + 1;
  }
  if (bestLength + 1 < kLeastParts) return std::nullopt;
  const auto first = places.begin() + static_cast<ptrdiff_t>(best);
  return Beat{{first, first + static_cast<ptrdiff_t>(bestLength) + 1}};
}

std::vector<Beat> findBeats(std::span<const Instruction* const> list) {
  absl::flat_hash_map<uint64_t, uint32_t> numberOf;
  std::vector<std::vector<uint32_t>> places;  // by symbol, in the order met
  for (uint32_t i = 0; i < list.size(); ++i) {
    const auto [at, isNew] = numberOf.emplace(symbolOf(*list[i]), static_cast<uint32_t>(places.size()));
    if (isNew) places.emplace_back();
    places[at->second].push_back(i);
  }
  std::vector<Beat> beats;
  for (const auto& of : places) {
    if (auto beat = beatOf(of)) beats.push_back(std::move(*beat));
  }
  return beats;
}

// Beats of one rhythm: as many parts, about as long, begun within one part of each other.
bool sameRhythm(const Beat& a, const Beat& b) {
  const uint32_t period = a.period(), other = b.period();
  const uint32_t apart =
      std::max(a.places.front(), b.places.front()) - std::min(a.places.front(), b.places.front());
  return a.places.size() == b.places.size() && period <= other + other / 16 &&
         other <= period + period / 16 && apart <= period;
}

// The beats of the rhythm that most instructions keep.
std::vector<const Beat*> strongestRhythm(const std::vector<Beat>& beats) {
  absl::flat_hash_map<size_t, std::vector<const Beat*>> byParts;
  for (const Beat& beat : beats) byParts[beat.places.size()].push_back(&beat);
  std::vector<const Beat*> strongest;
  size_t most = 0;
  for (const auto& [parts, group] : byParts) {
    // The middle one's company stands for the group; others of as many parts are found after it is cut out.
    std::vector<const Beat*> sorted = group;
    std::ranges::sort(sorted, {},
                      [](const Beat* beat) { return std::pair(beat->period(), beat->places.front()); });
    const size_t tries = std::min<size_t>(sorted.size(), 8);
    for (size_t i = 0; i < tries; ++i) {
      const Beat& leader = *sorted[i * sorted.size() / tries + sorted.size() / tries / 2];
      std::vector<const Beat*> company;
      for (const Beat* beat : group) {
        if (sameRhythm(leader, *beat)) company.push_back(beat);
      }
      const size_t kept = company.size() * parts;
      const auto first = [](const std::vector<const Beat*>& of) { return of.front()->places.front(); };
      const bool better = kept > most || (kept == most && first(company) < first(strongest));
      if (!better) continue;
      most = kept;
      strongest = std::move(company);
    }
  }
  return strongest;
}

}  // namespace

std::vector<uint32_t> passingValues(std::span<const Instruction* const> list) {
  absl::flat_hash_map<const Instruction*, uint32_t> indexOf;
  for (uint32_t i = 0; i < list.size(); ++i) indexOf.emplace(list[i], i);
  std::vector<int32_t> change(list.size() + 1, 0);
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (list[i]->opcode() == Opcode::Parameter || list[i]->opcode() == Opcode::Constant) continue;
    uint32_t last = i;
    for (const Instruction* user : list[i]->users()) {
      if (const auto at = indexOf.find(user); at != indexOf.end()) last = std::max(last, at->second);
    }
    ++change[i + 1];
    --change[last + 1];
  }
  std::vector<uint32_t> passing(list.size() + 1, 0);
  int32_t sum = 0;
  for (size_t i = 0; i <= list.size(); ++i) passing[i] = static_cast<uint32_t>(sum += change[i]);
  return passing;
}

std::optional<Repeats> findRepeats(std::span<const Instruction* const> list) {
  const std::vector<Beat> beats = findBeats(list);
  const std::vector<const Beat*> rhythm = strongestRhythm(beats);
  if (rhythm.empty()) return std::nullopt;
  const uint32_t period = rhythm.front()->period();
  if (rhythm.front()->places.size() * period < list.size() / 3) return std::nullopt;
  // A few instructions that come again at even distances do not make what is between them alike.
  if (rhythm.size() * kKeepingShare < period) return std::nullopt;
  const std::vector<uint32_t> passing = passingValues(list);
  const Beat* best = nullptr;
  uint64_t fewest = 0;
  for (const Beat* beat : rhythm) {
    uint64_t values = 0;
    for (size_t i = 1; i < beat->places.size(); ++i) values += passing[beat->places[i]];
    if (best != nullptr && std::pair(values, beat->places.front()) >= std::pair(fewest, best->places.front()))
      continue;
    best = beat;
    fewest = values;
  }
  Repeats repeats{best->places, 0};
  // The last part ends where the rhythm does.
  const uint32_t limit = best->places.back() + period + period / 4;
  for (const Beat* beat : rhythm) {
    for (uint32_t place : beat->places) {
      if (place < limit) repeats.end = std::max(repeats.end, place + 1);
    }
  }
  return repeats;
}

}  // namespace hilo
