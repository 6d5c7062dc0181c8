#include "core/analysis/tiling/tile_traffic.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/tiling/first_array.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

std::vector<int64_t> minorToMajor(Shape shape) {
  if (const Layout* layout = shape.layout(); layout != nullptr && layout->minorToMajor.size() == shape.rank())
    return layout->minorToMajor;
  return Layout::descending(shape.rank()).minorToMajor;
}

// Elements that lie together, and the distance they reach over where each is apart from the next.
struct Run {
  double elements = 1, reach = 1;
};

Run runOf(const InstructionTile& tile, Shape shape) {
  Run run;
  for (const int64_t d : minorToMajor(shape)) {
    const TileDimension& along = tile.dimensions[static_cast<size_t>(d)];
    const int64_t size = shape.dimension(static_cast<size_t>(d));
    const auto step = static_cast<double>(std::max<int64_t>(1, std::abs(along.stride)));
    run.reach *= static_cast<double>(along.size) * step;
    run.elements *= static_cast<double>(along.size);
    if (along.size != size) break;
  }
  return run;
}

bool movesWithEveryBlock(std::span<const int64_t> counts, std::span<const size_t> along) {
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] > 1 && std::ranges::find(along, d) == along.end()) return false;
  }
  return true;
}

}  // namespace

int64_t tilesAlong(const VariableTile& v) { return v.size <= 0 ? 0 : (v.size - 1) / v.tile + 1; }

TileTraffic trafficOf(const TilingSpace& space, const FusionTiling& tiling, size_t number) {
  const Shape shape = firstArray(space.instructions[number].instruction->shape());
  const InstructionTile& tile = tiling.tiles[number];
  TileTraffic traffic;
  if (!shape.isArray()) return traffic;
  const double bytes = elementBits(shape.elementType()) / 8.0;
  const auto elements = static_cast<double>(tile.elements());
  const Run run = runOf(tile, shape);
  // Elements apart have a sector each, until sectors are shared.
  const double ofRun =
      std::min(run.elements * kSectorBytes, std::ceil(run.reach * bytes / kSectorBytes) * kSectorBytes);
  traffic.bytes = elements * bytes;
  traffic.sectorBytes = std::max(traffic.bytes, elements / std::max(1.0, run.elements) * ofRun);
  size_t dimension = 0;
  for (size_t v = 0; v < space.variables.size(); ++v) {
    const Kind kind = space.variables[v].index.kind;
    const bool moves =
        std::ranges::any_of(tile.dimensions, [&](const TileDimension& d) { return d.offset.uses(v); });
    if (kind == Kind::Symbol && moves) traffic.steps *= std::max<int64_t>(1, tilesAlong(tiling.variables[v]));
    if (kind != Kind::Dimension) continue;
    if (moves) traffic.along.push_back(dimension);
    ++dimension;
  }
  return traffic;
}

int64_t differentTiles(std::span<const int64_t> counts, LaunchOrder order, std::span<const size_t> along,
                       int64_t first, int64_t blocks) {
  if (movesWithEveryBlock(counts, along)) return blocks;
  absl::flat_hash_set<int64_t> seen;
  for (int64_t n = first; n < first + blocks; ++n) {
    const std::vector<int64_t> tile = tileAt(order, counts, n);
    int64_t key = 0;
    for (const size_t d : along) key = key * counts[d] + tile[d];
    seen.insert(key);
  }
  return static_cast<int64_t>(seen.size());
}

}  // namespace hilo
