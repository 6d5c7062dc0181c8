#include "core/runtime/device/simulated/access_counts.h"

#include <algorithm>
#include <span>

namespace hilo {
namespace {

constexpr uint32_t kWarp = 32, kBanks = 32;
constexpr size_t kMostTimes =
    1 << 16;  // that a warp's lanes are apart at a line; what is further is not counted
// Of a place of shared memory: its word, and in which part of the warp its lane is.
constexpr uint32_t kWordBits = 24, kWordMask = (1u << kWordBits) - 1;

// A warp's access to wide elements goes to shared memory in parts, of so many lanes that each part has at
// most 32 words: halves of 8 bytes a lane, quarters of 16. Only words of one part meet in a bank.
uint64_t conflictsOf(std::span<const uint32_t> places) {
  uint64_t conflicts = 0;
  for (size_t i = 0; i < places.size();) {
    uint32_t turns[kBanks] = {}, most = 0;
    const uint32_t part = places[i] >> kWordBits;
    for (; i < places.size() && places[i] >> kWordBits == part; ++i)
      most = std::max(most, ++turns[(places[i] & kWordMask) % kBanks]);
    conflicts += most - 1;
  }
  return conflicts;
}

}  // namespace

AccessCounts::Site& AccessCounts::siteOf(uint32_t line, Kind kind) {
  if (line >= numbers_.size()) numbers_.resize(line + 1);
  if (numbers_[line] == 0) {
    sites_.push_back({line, kind, std::vector<uint32_t>(threads_),
                      std::vector<std::vector<Places>>((threads_ + kWarp - 1) / kWarp)});
    numbers_[line] = static_cast<uint32_t>(sites_.size());
  }
  return sites_[numbers_[line] - 1];
}

void AccessCounts::add(SimulatedCounters& counters, uint32_t line, uint32_t thread, Kind kind,
                       uint64_t place) {
  add(counters, line, thread, kind, place, 1);
}

void AccessCounts::addShared(SimulatedCounters& counters, uint32_t line, uint32_t thread, uint64_t at,
                             uint32_t bytes) {
  const uint32_t words = std::clamp(bytes / 4, 1u, kBanks);
  const uint64_t part = thread % kWarp / (kBanks / words);
  add(counters, line, thread, Kind::Shared, part << kWordBits | (at / 4 & kWordMask), words);
}

void AccessCounts::add(SimulatedCounters& counters, uint32_t line, uint32_t thread, Kind kind, uint64_t place,
                       uint32_t count) {
  Site& site = siteOf(line, kind);
  const uint32_t time = site.times[thread]++;
  auto& together = site.together[thread / kWarp];
  if (time >= kMostTimes) return;
  if (time >= together.size()) together.resize(time + 1);
  Places& places = together[time];
  for (uint32_t i = 0; i < count; ++i) places.push_back(static_cast<uint32_t>(place) + i);
  if (places.size() == size_t{count} * std::min(kWarp, threads_ - thread / kWarp * kWarp))
    fold(countersOf(counters, line), kind, places);
}

void AccessCounts::fold(SimulatedLineCounters& counters, Kind kind, Places& places) {
  if (places.empty()) return;
  std::ranges::sort(places);
  const auto ends = std::ranges::unique(places);
  const auto distinct = static_cast<size_t>(ends.begin() - places.begin());
  if (kind == Kind::Global) {
    ++counters.globalAccesses;
    counters.globalSectors += distinct;
  } else if (kind == Kind::Branch) {
    ++counters.branches;
    counters.divergentBranches += distinct > 1;
  } else {
    ++counters.sharedAccesses;
    counters.bankConflicts += conflictsOf(std::span(places).first(distinct));
  }
  places.clear();
}

void AccessCounts::finish(SimulatedCounters& counters) {
  for (Site& site : sites_) {
    for (auto& warp : site.together) {
      for (Places& places : warp) fold(countersOf(counters, site.line), site.kind, places);
    }
  }
  sites_.clear();
  numbers_.clear();
}

SimulatedLineCounters& countersOf(SimulatedCounters& counters, uint32_t line) {
  auto at = std::ranges::lower_bound(counters.lines, line, {}, &SimulatedLineCounters::line);
  if (at == counters.lines.end() || at->line != line) at = counters.lines.insert(at, {.line = line});
  return *at;
}

void sumLines(SimulatedCounters& counters) {
  for (const SimulatedLineCounters& line : counters.lines) {
    counters.globalAccesses += line.globalAccesses;
    counters.globalSectors += line.globalSectors;
    counters.sharedAccesses += line.sharedAccesses;
    counters.bankConflicts += line.bankConflicts;
    counters.branches += line.branches;
    counters.divergentBranches += line.divergentBranches;
  }
}

}  // namespace hilo
