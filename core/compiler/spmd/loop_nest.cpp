#include "core/compiler/spmd/loop_nest.h"

#include "core/compiler/spmd/reshard_steps.h"
#include "core/compiler/spmd/windows.h"

namespace hilo {

int64_t sumTiles(const LoopNest& nest, const Tiling& tiling) {
  int64_t tiles = 1;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f)
    tiles *= nest.factors.factors[f].kind == Factor::Kind::Sum ? tiling.tiles[f] : 1;
  return tiles;
}

namespace {

// What the tiles of a window take from others.
double borderBytes(const LoopNest& nest, size_t f, const Tiling& tiling) {
  const Factor& factor = nest.factors.factors[f];
  if (factor.window < 0 || tiling.tiles[f] == 1) return 0;
  double bytes = 0;
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const auto ranges = windowRanges(nest.instruction, factor, i, tiling.tiles[f]);
    if (!ranges) continue;
    const Part part{nullptr, nest.operands[i].global, nest.operandTiling(tiling, i)};
    bytes += static_cast<double>(rangeBytes(part, static_cast<size_t>(factor.operands[i]), *ranges));
  }
  return bytes;
}

}  // namespace

double costOf(const LoopNest& nest, const Tiling& tiling) {
  double bytes = 0;
  for (size_t i = 0; i < nest.operands.size(); ++i)
    bytes += static_cast<double>(
        reshardBytes(nest.operands[i].global, nest.operands[i].tiling, nest.operandTiling(tiling, i)));
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) bytes += borderBytes(nest, f, tiling);
  const Tiling result = nest.resultTiling(tiling);
  const auto leaves = leavesOf(nest.instruction.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].isArray() || leaves[i].rank() != result.rank()) continue;
    bytes += static_cast<double>(reshardBytes(leaves[i], result, nest.wanted[i]));
    if (sumTiles(nest, tiling) > 1)
      bytes += 2.0 * static_cast<double>(localShape(leaves[i], result).byteSize());
  }
  return bytes;
}

namespace {

// Whole where groups would be torn apart.
Tiling keepGroups(const LoopNest& nest, const Tiling& tiling) {
  std::vector<int64_t> torn;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const int64_t groups = nest.factors.factors[f].groups;
    if (groups > 0 && groups % tiling.tiles[f] != 0) torn.push_back(static_cast<int64_t>(f));
  }
  return torn.empty() ? tiling : wholeIn(tiling, torn);
}

void consider(const LoopNest& nest, std::vector<Tiling>& candidates, const Tiling& suggested) {
  const Tiling candidate = keepGroups(nest, suggested);
  if (std::ranges::find(candidates, candidate) == candidates.end()) candidates.push_back(candidate);
}

// The first dimension that may be cut and divides, one that is whole before one that is cut; else the first
// that is whole and large enough.
std::optional<size_t> roomFor(const Tiling& tiling, int64_t tiles, const std::vector<int64_t>& factorOf,
                              Shape array) {
  const auto first = [&](auto isFit) -> std::optional<size_t> {
    for (size_t d = 0; d < tiling.rank(); ++d) {
      if (factorOf[d] >= 0 && isFit(d)) return d;
    }
    return std::nullopt;
  };
  const auto isWhole = [&](size_t d) { return tiling.tiles[d] == 1; };
  const auto divides = [&](size_t d) { return !isUneven(array.dimension(d), tiling.tiles[d] * tiles); };
  if (auto d = first([&](size_t d) { return isWhole(d) && divides(d); })) return d;
  if (auto d = first(divides)) return d;
  return first([&](size_t d) { return isWhole(d) && array.dimension(d) >= tiles; });
}

// Tiles of dimensions that must be whole move to others.
Tiling withTilesMoved(Tiling tiling, const std::vector<int64_t>& factorOf, Shape array) {
  for (size_t from = 0; from < tiling.rank(); ++from) {
    const int64_t tiles = tiling.tiles[from];
    if (factorOf[from] >= 0 || tiles == 1) continue;
    if (const auto to = roomFor(tiling, tiles, factorOf, array))
      tiling = exchangedTiling(tiling, from, *to, tiles);
  }
  return tiling;
}

}  // namespace

std::vector<Tiling> candidatesOf(const LoopNest& nest) {
  constexpr Opcode kMoved[] = {Opcode::Sort, Opcode::Fft, Opcode::Concatenate};
  const bool mayMove = std::ranges::find(kMoved, nest.instruction.opcode()) != std::end(kMoved);
  std::vector<Tiling> candidates;
  const auto toWhole = [](Tiling tiling) {
    return tiling.isOneDevice ? replicatedTiling(tiling.rank(), static_cast<int64_t>(tiling.devices.size()))
                              : summedUp(std::move(tiling));
  };
  consider(nest, candidates, renamed(toWhole(nest.wanted[0]), resultOfFactor(nest.factors)));
  const Shape result = leavesOf(nest.instruction.shape())[0];
  if (mayMove && result.isArray() && !nest.wanted[0].isOneDevice)
    consider(
        nest, candidates,
        renamed(withTilesMoved(toWhole(nest.wanted[0]), factorOfResult(nest.factors, result.rank()), result),
                resultOfFactor(nest.factors)));
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const Tiling& tiling = nest.operands[i].tiling;
    if (!nest.operands[i].global.isArray() || tiling.manual != nest.wanted[0].manual) continue;
    const Shape array = nest.operands[i].global;
    const auto factorOf = factorOfDimension(nest.factors, i, array.rank());
    consider(nest, candidates, renamed(toWhole(tiling), dimensionOfFactor(nest.factors, i)));
    if (mayMove)
      consider(nest, candidates,
               renamed(withTilesMoved(toWhole(tiling), factorOf, array), dimensionOfFactor(nest.factors, i)));
  }
  const size_t alone = candidates.size();
  for (size_t i = 0; i < alone; ++i) {
    for (size_t j = i + 1; j < alone; ++j) {
      if (const auto both = merged(candidates[i], candidates[j])) consider(nest, candidates, *both);
    }
  }
  return candidates;
}

}  // namespace hilo
