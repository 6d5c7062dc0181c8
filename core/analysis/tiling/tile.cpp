#include "core/analysis/tiling/tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/analysis/tiling/first_array.h"
#include "core/base/check.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

constexpr int kMostTried = 100'000;

// The tiles of all instructions, one after the other.
class Tiler {
 public:
  Tiler(const TilingSpace& space, const std::vector<VariableTile>& variables)
      : variables_(variables), names_(space.names()) {
    // The first index of a variable's tile, in elements.
    for (size_t i = 0; i < variables.size(); ++i) {
      const bool isRead = space.variables[i].index.kind == Kind::Runtime;
      const VariableTile& tile = variables[i];
      firsts_.push_back(isRead
                            ? space.variables[i].index.range
                            : IndexRange{0, std::max<int64_t>(0, (tile.size - 1) / tile.tile * tile.tile)});
    }
  }

  Result<InstructionTile> tileOf(const TiledInstruction& tiled) const {
    InstructionTile tile;
    std::vector<MovingPart> parts;
    for (const auto& gathered : tiled.gathered) {
      TRY(AffineExpression device, deviceOf(gathered));
      tile.devices.push_back(std::move(device));
    }
    for (size_t d = 0; d < tiled.place.size(); ++d) {
      auto walk = progressionOf(tiled.place[d], variables_, names_);
      if (!walk) return at(*tiled.instruction, walk.error());
      parts.insert(parts.end(), walk->parts.begin(), walk->parts.end());
      tile.dimensions.push_back(dimension(*tiled.instruction, d, *walk));
    }
    if (!varyFreely(parts, variables_.size()))
      return at(*tiled.instruction, {.kind = "illegal-tiling",
                                     .message = "its dimensions do not vary independently over a tile"});
    for (const auto& within : tiled.within) TRY_STATUS(checkWithin(within));
    if (tiled.instruction->opcode() == Opcode::Scan) TRY_STATUS(checkScan(tiled));
    return tile;
  }

 private:
  std::unexpected<Diagnostic> at(const Instruction& instruction, Diagnostic why) const {
    why.message = fmt::format("%{} ({}): {}", instruction.name(), instruction.opcodeText(), why.message);
    why.place.instruction = instruction.name();
    return std::unexpected(std::move(why));
  }

  TileDimension dimension(const Instruction& instruction, size_t d, const Progression& walk) const {
    TileDimension out{.offset = walk.first.simplified(firsts_), .size = walk.count, .stride = walk.stride};
    const Shape shape = firstArray(instruction.shape());
    const IndexRange from = firstsOf(walk, out.offset.range(firsts_));
    const int64_t reach = saturatingMultiply(walk.stride, walk.count - 1);
    out.isMasked = from.lower + std::min<int64_t>(reach, 0) < 0 ||
                   saturatingAdd(from.upper, std::max<int64_t>(reach, 0)) >= shape.dimension(d);
    return out;
  }

  // Of those in `range`, what the walk can start from.
  static IndexRange firstsOf(const Progression& walk, IndexRange range) {
    if (walk.step == 0) return {walk.base, walk.base};
    const int64_t above = (walk.base - range.lower) % walk.step,
                  below = (range.upper - walk.base) % walk.step;
    return {range.lower + (above < 0 ? above + walk.step : above),
            range.upper - (below < 0 ? below + walk.step : below)};
  }

  Result<AffineExpression> deviceOf(const TiledInstruction::Gathered& gathered) const {
    auto walk = progressionOf(gathered.device, variables_, names_);
    if (walk && walk->count == 1) return walk->first.simplified(firsts_);
    return at(*gathered.allGather,
              {.kind = "illegal-tiling",
               .message = fmt::format("a tile holds elements of several devices, of {} {}", gathered.devices,
                                      gathered.device.text(names_))});
  }

  Status checkWithin(const TiledInstruction::Within& within) const {
    auto walk = progressionOf(within.index, variables_, names_);
    if (!walk) return at(*within.concatenate, walk.error());
    const bool mayCrossStart = !within.isFirst && mayCross(*walk, 0),
               mayCrossEnd = !within.isLast && mayCross(*walk, within.size);
    if (!mayCrossStart && !mayCrossEnd) return {};
    return at(*within.concatenate,
              {.kind = "illegal-tiling",
               .message = fmt::format("a tile of {} crosses {}, where the next operand begins",
                                      within.index.text(names_), mayCrossStart ? 0 : within.size)});
  }

  Status checkScan(const TiledInstruction& scan) const {
    const auto along = static_cast<size_t>(scan.instruction->dimensions()[0]);
    for (size_t v = 0; v < variables_.size(); ++v) {
      if (!scan.place[along].uses(v) || variables_[v].isWhole()) continue;
      return at(
          *scan.instruction,
          {.kind = "illegal-tiling",
           .message = fmt::format("an element is made of all before it: the tile of {} has to be all of {}",
                                  names_[v], variables_[v].size)});
    }
    return {};
  }

  // Whether a tile may hold both an index under `border` and one that is not.
  bool mayCross(const Progression& walk, int64_t border) const {
    const int64_t reach = saturatingMultiply(walk.stride, walk.count - 1), low = std::min<int64_t>(reach, 0),
                  span = std::max<int64_t>(reach, 0) - low;
    const IndexRange from = firstsOf(walk, walk.first.range(firsts_));
    if (from.lower + low >= border || saturatingAdd(from.upper + low, span) < border) return false;
    if (walk.step == 0) return true;
    const int64_t after = ((border - walk.base - low) % walk.step + walk.step) % walk.step;
    return after != 0 ? after <= span : span >= walk.step;
  }

  const std::vector<VariableTile>& variables_;
  std::vector<std::string> names_;
  std::vector<IndexRange> firsts_;
};

}  // namespace

int64_t InstructionTile::elements() const {
  int64_t count = 1;
  for (const TileDimension& dimension : dimensions) count = saturatingMultiply(count, dimension.size);
  return count;
}

bool InstructionTile::isMasked() const { return std::ranges::any_of(dimensions, &TileDimension::isMasked); }

int64_t FusionTiling::independentTiles(const TilingSpace& space) const {
  int64_t count = 1;
  for (size_t i = 0; i < variables.size(); ++i) {
    const VariableTile& v = variables[i];
    if (space.variables[i].index.kind == Kind::Dimension)
      count = saturatingMultiply(count, v.size == 0 ? 0 : (v.size - 1) / v.tile + 1);
  }
  return count;
}

double FusionTiling::wasted(const TilingSpace& space) const {
  double used = 1;
  for (size_t i = 0; i < variables.size(); ++i) {
    const VariableTile& v = variables[i];
    if (space.variables[i].index.kind != Kind::Dimension || v.size == 0) continue;
    const int64_t tiles = (v.size - 1) / v.tile + 1;
    used *= static_cast<double>(v.size) / (static_cast<double>(tiles) * static_cast<double>(v.tile));
  }
  return 1 - used;
}

// Where a result lies by several variables of another at once, tiles that reach past the end of one would
// hold elements that the next tiles hold too.
static Status checkCovers(const TilingSpace& space, const TiledInstruction& root,
                          const FusionTiling& tiling) {
  for (const AffineExpression& place : root.place) {
    if (place.isConstant() || place.asVariable()) continue;
    for (size_t v = 0; v < tiling.variables.size(); ++v) {
      const VariableTile& variable = tiling.variables[v];
      if (!place.uses(v) || variable.isWhole() || variable.size % variable.tile == 0) continue;
      return fail(
          "illegal-tiling",
          fmt::format("%{}, another result, is stored by the same tiles: the tile of {} has to divide {}",
                      root.instruction->name(), space.names()[v], variable.size));
    }
  }
  return {};
}

// A reshape keeps the order of elements: a tile that reaches past the end of any dimension but the outermost
// would have elements there that stand for no place of the operand.
static Status checkOrderIsKept(const TiledInstruction& tiled, const FusionTiling& tiling) {
  const Instruction& reshape = *tiled.instruction;
  const bool keepsOrder = reshape.opcode() == Opcode::Reshape || reshape.opcode() == Opcode::Bitcast;
  if (!keepsOrder || tiled.operands.empty()) return {};
  const int64_t own = tiling.tiles.back().elements(), its = tiling.tiles[tiled.operands[0]].elements();
  if (own == its) return {};
  return fail("illegal-tiling",
              fmt::format("%{} ({}): a tile of {} elements is made of {} of its operand: it reaches past "
                          "the end of a dimension that is not the outermost",
                          reshape.name(), reshape.opcodeText(), own, its),
              {.instruction = std::string(reshape.name())});
}

Result<FusionTiling> tilingWith(const TilingSpace& space, std::span<const int64_t> sizes) {
  const auto tiled = space.tiled();
  if (sizes.size() != tiled.size())
    return fail("illegal-tiling",
                fmt::format("{} tile sizes are given, {} dimensions have tiles", sizes.size(), tiled.size()));
  FusionTiling tiling;
  for (const TilingVariable& variable : space.variables)
    tiling.variables.push_back({.tile = 1, .size = variable.index.range.upper + 1});
  for (size_t i = 0; i < tiled.size(); ++i) {
    if (sizes[i] < 1)
      return fail("illegal-tiling", fmt::format("a tile size is {}: it has to be 1 or more", sizes[i]));
    tiling.variables[tiled[i]].tile = sizes[i];
  }
  const Tiler tiler(space, tiling.variables);
  for (const TiledInstruction& instruction : space.instructions) {
    TRY(InstructionTile tile, tiler.tileOf(instruction));
    tiling.tiles.push_back(std::move(tile));
    TRY_STATUS(checkOrderIsKept(instruction, tiling));
  }
  for (const size_t root : space.roots) TRY_STATUS(checkCovers(space, space.instructions[root], tiling));
  return tiling;
}

std::vector<std::vector<int64_t>> legalTilings(const TilingSpace& space, size_t most) {
  std::vector<std::vector<int64_t>> choices, legal;
  for (const size_t number : space.tiled()) {
    const TilingVariable& variable = space.variables[number];
    const int64_t size = std::max<int64_t>(1, variable.index.range.upper + 1);
    const bool isChosen =
        variable.index.kind == Kind::Dimension || variable.instruction->opcode() == Opcode::Dot;
    std::vector<int64_t> own;
    for (int64_t power = 1; isChosen && power < size; power *= 2) own.push_back(power);
    own.push_back(size);
    choices.push_back(std::move(own));
  }
  std::vector<size_t> at(choices.size());
  for (int tried = 0; tried < kMostTried && legal.size() < most; ++tried) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < at.size(); ++i) sizes.push_back(choices[i][at[i]]);
    if (tilingWith(space, sizes)) legal.push_back(std::move(sizes));
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == choices[d - 1].size()) at[--d] = 0;
    if (d == 0) break;
  }
  return legal;
}

}  // namespace hilo
