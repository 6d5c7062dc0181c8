// Tilings through reshapes.
#include <map>
#include <set>

#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// A run of dimensions of the operand that becomes a run of the result. Ends are one past the last.
struct Run {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

std::vector<Run> runsOf(std::span<const int64_t> from, std::span<const int64_t> to) {
  std::vector<Run> runs;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Run run{i, i, j, j};
    int64_t a = 1, b = 1;
    do {
      if (i < from.size() && (a <= b || j == to.size())) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    } while (a != b && (i < from.size() || j < to.size()));
    while (i < from.size() && from[i] == 1) ++i;
    while (j < to.size() && to[j] == 1) ++j;
    run.fromEnd = i, run.toEnd = j;
    runs.push_back(run);
  }
  return runs;
}

// The tiles of a run, dealt out to the dimensions of the result, major first: nullopt when a tile of the run
// is no part of the result. Only the last tiled dimension of the operand may have fewer tiles than elements.
std::optional<std::vector<int64_t>> dealTiles(std::span<const int64_t> from, std::span<const int64_t> tiles,
                                              std::span<const int64_t> to) {
  std::vector<int64_t> result(to.size(), 1);
  int64_t total = 1;
  bool isFull = true;
  for (size_t i = 0; i < from.size(); ++i) {
    if (tiles[i] == 1 && from[i] == 1) continue;
    if (tiles[i] > 1 && !isFull) return std::nullopt;  // something whole stands before it
    if (tiles[i] > 1 && isUneven(from[i], tiles[i])) return std::nullopt;
    total *= tiles[i];
    if (tiles[i] != from[i]) isFull = false;
  }
  for (size_t j = 0; j < to.size() && total > 1; ++j) {
    if (total % to[j] == 0) {
      result[j] = to[j];
    } else if (to[j] % total == 0) {
      result[j] = total;
    } else {
      return std::nullopt;
    }
    total /= result[j];
  }
  return total == 1 ? std::optional(result) : std::nullopt;
}

int64_t smallestFactor(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

}  // namespace

std::optional<Tiling> reshaped(const Tiling& tiling, std::span<const int64_t> from,
                               std::span<const int64_t> to) {
  if (tiling.isWhole()) {
    Tiling whole = wholeTiling(tiling, to.size());
    whole.isOneDevice = tiling.isOneDevice;
    if (whole.isOneDevice) whole.devices = tiling.devices;
    return whole;
  }
  if (std::ranges::count(from, 0) != 0 || std::ranges::count(to, 0) != 0) return std::nullopt;
  Tiling result{.tiles = std::vector<int64_t>(to.size(), 1),
                .manual = tiling.manual,
                .copies = tiling.copies,
                .devices = tiling.devices};
  for (const Run& run : runsOf(from, to)) {
    const auto part = [](std::span<const int64_t> list, size_t begin, size_t end) {
      return list.subspan(begin, end - begin);
    };
    const auto ofRun = part(tiling.tiles, run.fromBegin, run.fromEnd);
    if (run.fromEnd - run.fromBegin == 1 && run.toEnd - run.toBegin == 1) {
      result.tiles[run.toBegin] = ofRun[0];  // the same dimension: its tiles may be uneven
      continue;
    }
    // One dimension with dimensions of size 1 around it is that dimension too.
    const auto dealt =
        dealTiles(part(from, run.fromBegin, run.fromEnd), ofRun, part(to, run.toBegin, run.toEnd));
    if (!dealt) {
      const auto isOne = [](int64_t size) { return size == 1; };
      const auto f = part(from, run.fromBegin, run.fromEnd), t = part(to, run.toBegin, run.toEnd);
      const auto large = std::ranges::find_if_not(f, isOne), target = std::ranges::find_if_not(t, isOne);
      const bool isSame = std::ranges::count_if(f, isOne) + 1 == static_cast<int64_t>(f.size()) &&
                          std::ranges::count_if(t, isOne) + 1 == static_cast<int64_t>(t.size());
      if (!isSame) return std::nullopt;
      for (size_t i = 0; i < f.size(); ++i) {
        if (f[i] == 1 && ofRun[i] > 1) return std::nullopt;
      }
      result.tiles[run.toBegin + static_cast<size_t>(target - t.begin())] =
          ofRun[static_cast<size_t>(large - f.begin())];
      continue;
    }
    for (size_t j = 0; j < dealt->size(); ++j) result.tiles[run.toBegin + j] = (*dealt)[j];
  }
  return result.tileCount() == tiling.tileCount() ? std::optional(result) : std::nullopt;
}

// The one with the most tiles that goes through: tiles become copies, a prime at a time, until one does.
Tiling reshapedInPart(const Tiling& tiling, std::span<const int64_t> from, std::span<const int64_t> to) {
  std::multimap<int64_t, Tiling, std::greater<>> open = {{tiling.tileCount(), tiling}};
  std::set<std::vector<int64_t>> seen;
  while (!open.empty()) {
    const Tiling next = open.begin()->second;
    open.erase(open.begin());
    if (auto through = reshaped(next, from, to)) return *through;
    for (size_t d = 0; d < next.rank(); ++d) {
      if (next.tiles[d] == 1) continue;
      Tiling fewer = withFewerTiles(next, d, smallestFactor(next.tiles[d]));
      if (seen.insert(fewer.tiles).second) open.emplace(fewer.tileCount(), std::move(fewer));
    }
  }
  return wholeTiling(tiling, to.size());
}

namespace {

// The first dimension of a run that is not of size 1, and the elements of one of its rows.
struct Lead {
  size_t dimension;
  int64_t row = 1;
};

Lead leadOf(std::span<const int64_t> sizes, size_t begin, size_t end) {
  Lead lead{.dimension = begin};
  while (lead.dimension + 1 < end && sizes[lead.dimension] == 1) ++lead.dimension;
  for (size_t d = lead.dimension + 1; d < end; ++d) lead.row *= sizes[d];
  return lead;
}

}  // namespace

std::optional<UnevenReshape> unevenReshape(const Tiling& wanted, std::span<const int64_t> from,
                                           std::span<const int64_t> to) {
  if (wanted.isOneDevice || std::ranges::count(from, 0) != 0 || std::ranges::count(to, 0) != 0)
    return std::nullopt;
  UnevenReshape plan{.source = wanted, .before = {}, .after = {}};
  plan.source.tiles.assign(from.size(), 1);
  for (const Run& run : runsOf(from, to)) {
    int64_t tiles = 1;
    for (size_t d = run.toBegin; d < run.toEnd; ++d) tiles *= wanted.tiles[d];
    if (tiles == 1) continue;
    if (run.fromBegin == run.fromEnd) return std::nullopt;
    const Lead source = leadOf(from, run.fromBegin, run.fromEnd), target = leadOf(to, run.toBegin, run.toEnd);
    if (wanted.tiles[target.dimension] != tiles) return std::nullopt;
    plan.source.tiles[source.dimension] = tiles;
    const int64_t had = ceilDiv(from[source.dimension], tiles) * source.row;
    const int64_t needed = ceilDiv(to[target.dimension], tiles) * target.row;
    if (had == needed) continue;
    if (needed % source.row == 0) {
      plan.before.push_back({source.dimension, needed / source.row});
    } else if (had % target.row == 0) {
      plan.after.push_back({target.dimension, had / target.row});
    } else {
      return std::nullopt;
    }
  }
  return plan;
}

}  // namespace hilo
