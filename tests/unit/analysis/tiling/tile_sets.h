// Sets of indices that a tile is held against: what lies in it, and what its expressions take over it.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "core/analysis/tiling/tile.h"

namespace hilo {

using Indices = std::set<std::vector<int64_t>>;

// Calls with the first index of every combination of tiles.
inline void forEachTile(const FusionTiling& tiling, std::vector<int64_t>& first,
                        const std::function<void()>& call) {
  if (first.size() == tiling.variables.size()) return call();
  const VariableTile& variable = tiling.variables[first.size()];
  for (int64_t at = 0; at < variable.size; at += variable.tile) {
    first.push_back(at);
    forEachTile(tiling, first, call);
    first.pop_back();
  }
}

inline Indices enumerated(const FusionTiling& tiling, const std::vector<AffineExpression>& place,
                          const std::vector<int64_t>& first, std::vector<int64_t>& at) {
  if (at.size() == first.size()) {
    std::vector<int64_t> index;
    for (const AffineExpression& expression : place) index.push_back(expression.evaluate(at));
    return {index};
  }
  Indices all;
  for (int64_t i = 0; i < tiling.variables[at.size()].count(); ++i) {
    at.push_back(first[at.size()] + i);
    all.merge(enumerated(tiling, place, first, at));
    at.pop_back();
  }
  return all;
}

inline Indices ofTile(const InstructionTile& tile, const std::vector<int64_t>& first,
                      std::vector<int64_t> index = {}) {
  if (index.size() == tile.dimensions.size()) return {index};
  const TileDimension& dimension = tile.dimensions[index.size()];
  Indices all;
  for (int64_t i = 0; i < dimension.size; ++i) {
    index.push_back(dimension.offset.evaluate(first) + i * dimension.stride);
    all.merge(ofTile(tile, first, index));
    index.pop_back();
  }
  return all;
}

}  // namespace hilo
