#include "core/compiler/codegen/cpu/thread_tiles.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/analysis/tile_program/build_tile_program.h"

namespace hilo::cpu {
namespace {

using Kind = IndexVariable::Kind;

constexpr int64_t kMostFolded = 16'384;  // elements that folds give, of tiles that were made larger

bool moves(const TileOperation& of, size_t v) {
  return std::ranges::any_of(of.tile.dimensions, [&](const TileDimension& d) { return d.offset.uses(v); });
}

// Whether the fold of one of the variable's tiles is another than that of the next.
bool foldMoves(const TileProgram& program, const TileOperation& fold, size_t v) {
  return moves(fold, v) || std::ranges::any_of(fold.operands, [&](const TileUse& use) {
           return moves(program.operations[use.operation], v);
         });
}

bool isIn(std::span<const size_t> variables, size_t v) {
  return std::ranges::find(variables, v) != variables.end();
}

// Whether the block, or one inside of it, folds anything.
bool folds(const TileProgram& program, size_t block) {
  if (std::ranges::any_of(program.blocks[block].operations,
                          [&](size_t i) { return program.operations[i].isFold(); }))
    return true;
  for (size_t inner = block + 1; inner < program.blocks.size(); ++inner) {
    if (program.blocks[inner].parent == block && folds(program, inner)) return true;
  }
  return false;
}

// A reduction's steps over v, or results' tiles along v, which fold the same and are cheaper done together.
bool isBetterWhole(const TileProgram& program, size_t v) {
  for (const TileOperation& fold : program.operations) {
    if (!fold.loop || !isIn(program.blocks[*fold.loop].variables, v)) continue;
    return fold.op == TileOp::Reduce && !folds(program, *fold.loop);
  }
  if (!isIn(program.variables, v)) return false;
  bool foldsTheSame = false;
  for (const TileOperation& fold : program.operations) {
    if (!fold.isFold()) continue;
    const bool isOther = foldMoves(program, fold, v);
    if (isOther && fold.op != TileOp::Reduce) return false;
    foldsTheSame |= !isOther;
  }
  return foldsTheSame;
}

bool areRows(const TileProgram& program, size_t v) {
  if (!isIn(program.variables, v)) return false;
  bool hasFolds = false;
  for (const TileOperation& fold : program.operations) {
    if (!fold.isFold()) continue;
    if (fold.op != TileOp::Reduce || !moves(fold, v)) return false;
    hasFolds = true;
  }
  return hasFolds;
}

int64_t foldedElements(const TiledFusion& fusion) {
  int64_t most = 0;
  for (const TileProgram& program : fusion.programs) {
    int64_t all = 0;
    for (const TileOperation& fold : program.operations) {
      if (fold.isFold()) all = saturatingAdd(all, fold.tile.elements());
    }
    most = std::max(most, all);
  }
  return most;
}

// Of the arrays that the program reads and writes, what one of its tiles has.
int64_t bytesOf(const TileProgram& program) {
  int64_t bytes = 0;
  const auto add = [&](const TileOperation& of) {
    bytes = saturatingAdd(bytes, saturatingMultiply(of.tile.elements(), elementStorageBytes(of.type())));
  };
  for (const TileOperation& operation : program.operations) {
    if (operation.op == TileOp::Load) add(operation);
  }
  for (const TileStore& store : program.stores) add(program.operations[store.value.operation]);
  return bytes;
}

class ThreadTiles {
 public:
  explicit ThreadTiles(TiledFusion chosen) : fusion_(std::move(chosen)), tiled_(fusion_.space.tiled()) {}

  void widen() {
    auto sizes = sizesNow();
    for (size_t i = 0; i < tiled_.size(); ++i) {
      const auto uses = [&](const TileProgram& p) { return isBetterWhole(p, tiled_[i]); };
      if (isForAll(tiled_[i], uses)) sizes[i] = fusion_.tiling.variables[tiled_[i]].size;
    }
    if (sizes == sizesNow()) return;
    auto wider = tiledFusion(fusion_.space, sizes);
    if (wider && foldedElements(*wider) <= std::max(kMostFolded, foldedElements(fusion_)))
      fusion_ = *std::move(wider);
  }

  // Halves: they cover what the tile covered.
  void cutRows(int64_t firstCacheBytes) {
    for (size_t i = 0; i < tiled_.size(); ++i) {
      while (isForAll(tiled_[i], [&](const TileProgram& p) {
        return areRows(p, tiled_[i]) && bytesOf(p) > firstCacheBytes / 2;
      })) {
        auto sizes = sizesNow();
        if (sizes[i] % 2 != 0) break;
        sizes[i] /= 2;
        auto fewer = tiledFusion(fusion_.space, sizes);
        if (!fewer) break;
        fusion_ = *std::move(fewer);
      }
    }
  }

  TiledFusion take() { return std::move(fusion_); }

 private:
  std::vector<int64_t> sizesNow() const {
    std::vector<int64_t> sizes;
    for (const size_t v : tiled_) sizes.push_back(fusion_.tiling.variables[v].tile);
    return sizes;
  }

  // Of the programs that have the variable, all; and there is one.
  template <typename Holds>
  bool isForAll(size_t v, Holds holds) const {
    bool isAny = false;
    for (const TileProgram& program : fusion_.programs) {
      const bool has = isIn(program.variables, v) ||
                       std::ranges::any_of(program.blocks,
                                           [&](const TileBlock& block) { return isIn(block.variables, v); });
      if (!has) continue;
      if (!holds(program)) return false;
      isAny = true;
    }
    return isAny;
  }

  TiledFusion fusion_;
  const std::vector<size_t> tiled_;
};

}  // namespace

TiledFusion threadTiles(TiledFusion chosen, int64_t firstCacheBytes) {
  ThreadTiles tiles(std::move(chosen));
  tiles.widen();
  tiles.cutRows(firstCacheBytes);
  return tiles.take();
}

}  // namespace hilo::cpu
