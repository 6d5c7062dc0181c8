// Random modules as fusions, with legal tilings: every tile is what its place takes, and all tiles together
// are what the element maps say that the fusion reads.
#include <gtest/gtest.h>

#include "core/analysis/indexing/operand_indexing.h"
#include "core/hlo/ir/module.h"
#include "tests/support/random_fusion.h"
#include "tests/unit/analysis/tiling/tile_sets.h"

namespace hilo {
namespace {

void addValues(const IndexingMap& map, std::vector<int64_t>& values, Indices& all) {
  if (values.size() < map.variables.size()) {
    const IndexRange range = map.variables[values.size()].range;
    for (int64_t v = range.lower; v <= range.upper; ++v) {
      values.push_back(v);
      addValues(map, values, all);
      values.pop_back();
    }
    return;
  }
  if (!map.isDefinedAt(values)) return;
  std::vector<int64_t> index;
  for (const AffineExpression& result : map.results) index.push_back(result.evaluate(values));
  all.insert(index);
}

bool isIn(const Shape& shape, const std::vector<int64_t>& index) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape.dimension(d)) return false;
  }
  return true;
}

bool divide(const FusionTiling& tiling) {
  return std::ranges::all_of(tiling.variables, [](const VariableTile& v) { return v.size % v.tile == 0; });
}

class Checked {
 public:
  explicit Checked(const Module& module)
      : fusion_(*module.entry()->root()), space_(tilingSpace(*module.entry()->root())) {}

  int compared() const { return compared_; }  // operands held against the element maps

  // How many tilings were checked.
  int check() {
    if (!space_) return 0;
    int tilings = 0;
    for (const auto& sizes : legalTilings(*space_, 12)) {
      const auto tiling = tilingWith(*space_, sizes);
      if (tiling->independentTiles(*space_) > 200) continue;
      checkEachTile(*tiling);
      if (divide(*tiling)) checkAllTogether(*tiling);
      ++tilings;
    }
    return tilings;
  }

 private:
  void checkEachTile(const FusionTiling& tiling) const {
    std::vector<int64_t> first, at;
    forEachTile(tiling, first, [&] {
      for (size_t i = 0; i < space_->instructions.size(); ++i)
        ASSERT_EQ(ofTile(tiling.tiles[i], first),
                  enumerated(tiling, space_->instructions[i].place, first, at));
    });
  }

  // A pad's operand has elements in its tile that the pad does not take.
  void checkAllTogether(const FusionTiling& tiling) {
    bool hasPad = false;
    for (const TiledInstruction& tiled : space_->instructions)
      hasPad = hasPad || tiled.instruction->opcode() == Opcode::Pad;
    for (size_t k = 0; k < fusion_.operandCount(); ++k) {
      const auto maps = readIndexing(fusion_, k);
      if (!maps) continue;
      Indices read;
      std::vector<int64_t> values;
      for (const IndexingMap& map : *maps) addValues(map, values, read);
      const Indices tiled = unionOf(tiling, k);
      compared_ += read.size() > 1 ? 1 : 0;
      if (hasPad) {
        EXPECT_TRUE(std::ranges::includes(tiled, read));
      } else {
        EXPECT_EQ(tiled, read);
      }
    }
  }

  Indices unionOf(const FusionTiling& tiling, size_t operand) const {
    Indices all;
    std::vector<int64_t> first;
    forEachTile(tiling, first, [&] {
      for (size_t i = 0; i < space_->instructions.size(); ++i) {
        const TiledInstruction& tiled = space_->instructions[i];
        const bool isIt = tiled.instruction->opcode() == Opcode::Parameter &&
                          static_cast<size_t>(tiled.instruction->parameterNumber()) == operand;
        if (!isIt || !tiled.isRead(first)) continue;
        for (const auto& index : ofTile(tiling.tiles[i], first)) {
          if (isIn(tiled.instruction->shape(), index)) all.insert(index);
        }
      }
    });
    return all;
  }

  const Instruction& fusion_;
  Result<TilingSpace> space_;
  int compared_ = 0;
};

TEST(RandomFusions, HaveTilesThatAreWhatIsRead) {
  int tilings = 0, compared = 0;
  for (uint64_t seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto module = randomFusion(seed);
    ASSERT_TRUE(module);
    Checked checked(*module);
    tilings += checked.check();
    compared += checked.compared();
  }
  EXPECT_GT(tilings, 10'000);
  EXPECT_GT(compared, 5'000);
}

}  // namespace
}  // namespace hilo
