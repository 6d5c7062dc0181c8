// A fusion as programs on tiles: what is done for one tile of its results, as data. It is made from a tiling
// (analysis/tiling), checked (verify_tile_program.h), printed (print_tile_program.h), and lowered to the code
// of any target (compiler/codegen/tiles).
//
// A program runs once for each independent tile, in any order, after the programs before it. Its operations
// give tiles: an element of one is named by its place in the tile. What lies outside of the array that a tile
// is of has no value; nothing that stays uses one: stores leave it out, folds leave it out, and a choose asks
// another operand, the last one for all that none before has.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/tile_program/all_reduce_kernel.h"
#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

enum class TileOp : uint8_t {
#define TILE_OP(name, text) name,
#include "core/analysis/tile_program/tile_ops.def"
};
std::string_view toString(TileOp op);

// A tile that an operation gives; of a reduction of several arrays, which of its results.
struct TileUse {
  size_t operation = 0, result = 0;
  friend bool operator==(const TileUse&, const TileUse&) = default;
};

struct TileOperation {
  TileOp op = TileOp::Load;
  const Instruction* instruction = nullptr;  // whose elements it gives, with the attributes that say how
  InstructionTile tile;                      // which of them
  std::vector<TileUse> operands;
  std::vector<InstructionTile> candidates = {};  // of choose: each operand's tile, by which it has an element
  size_t block = 0;                              // it lies in
  // Of a fold that takes several steps: the block that is gone through, which its operands lie in or
  // further out. nullopt: its operands are all it folds.
  std::optional<size_t> loop = {};

  bool isFold() const { return op == TileOp::Reduce || op == TileOp::Dot || op == TileOp::ScaledDot; }
  ElementType type(size_t result = 0) const;
  std::vector<int64_t> sizes() const;
};

// Operations that are done together: block 0 once, another as often as its variables have tiles,
// the last variable fastest.
struct TileBlock {
  size_t parent = 0;
  std::vector<size_t> variables;   // of the space; none of block 0
  std::vector<size_t> operations;  // operands before users
};

struct TileStore {
  // A result of the fusion; an array that the other ranks read when they have met, all of the tile or this
  // rank's part of it.
  enum class Where : uint8_t { Result, Shared, OwnPart };

  TileUse value;
  const Instruction* instruction = nullptr;  // the result, or what is shared
  InstructionTile tile;                      // where in it
  size_t result = 0;                         // its number among the fusion's arrays
  Where where = Where::Result;
};

struct TileProgram {
  bool ranksMeet = false;         // before any tile: all programs before are done by all ranks
  std::vector<size_t> variables;  // of the space, whose tiles are independent: a program each
  std::vector<TileOperation> operations;
  std::vector<TileBlock> blocks;
  std::vector<TileStore> stores;
};

struct TiledFusion {
  TilingSpace space;
  FusionTiling tiling;
  // One for all results that have tiles in common; what an all-reduce does before its ranks meet is one
  // before that, and what parts it combines another.
  std::vector<TileProgram> programs;
  std::optional<AllReduceKernel> allReduce = {};  // what is shared is as its operand

  // Tiles of the variable.
  int64_t steps(size_t variable) const;
  // Of each of the program's variables, and all together.
  std::vector<int64_t> grid(const TileProgram& program) const;
  int64_t count(const TileProgram& program) const;
  // Whether the variable's last tile reaches past its end.
  bool isRagged(size_t variable) const;
  // What the operation folds, in the order of the dimensions that it folds.
  std::vector<size_t> folded(const TileOperation& fold) const;
};

// The dimensions of operand `side` of a reduce, a dot or a scaled dot that are folded, in
// the order of TiledFusion::folded.
std::vector<int64_t> foldedDimensions(const Instruction& fold, size_t side);

}  // namespace hilo
