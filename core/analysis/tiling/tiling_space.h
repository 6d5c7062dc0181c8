// The dimensions a fusion is tiled along, and where each instruction inside of it lies by them: symbolic,
// before any size is chosen. Matches XLA's xla/codegen/tiling (TilingSpecification and
// experimental/tiling_space.h); here the folded dimensions of every op have a tile size (a dot's, a
// reduction's, a window's), not those of dots alone.
#pragma once

#include <vector>

#include "core/analysis/indexing/indexing_map.h"
#include "core/base/result.h"

namespace hilo {

struct TilingVariable {
  // Dimension: of a result, its tiles are independent. Symbol: folded by `instruction`, its tiles follow each
  // other. Runtime: an index read when it runs; it has no tiles.
  IndexVariable index;
  const Instruction* instruction = nullptr;
  size_t number = 0;  // of the instruction's dimensions, of those it folds, or of what it reads
};

struct TiledInstruction {
  const Instruction* instruction = nullptr;
  const Instruction* caller = nullptr;  // the fusion inside of the fusion that it lies in; null: in none
  std::vector<AffineExpression> place;  // its index, by TilingSpace::variables
  std::vector<size_t> operands;         // in TilingSpace::instructions; empty for a parameter or a constant
  // Of an operand of a concatenate and all that it is made of: the tile may not lie in two operands, and is
  // not read where its index there is not from 0 up to `size`.
  struct Within {
    AffineExpression index;
    int64_t size = 0;
    bool isFirst = false, isLast = false;  // operand: what lies before or after is outside of the result
    const Instruction* concatenate = nullptr;
  };
  std::vector<Within> within;  // of each concatenate on the way, the nearest last
  // Of an operand of an all-gather and all that it is made of: whose elements they are. The tile may not be
  // of two devices. Source: tile.h (Tile::replica_ids).
  struct Gathered {
    AffineExpression device;  // its number in the group
    int64_t devices = 0;
    const Instruction* allGather = nullptr;
  };
  std::vector<Gathered> gathered;  // of each all-gather on the way, the nearest last

  // Whether the tile is read at all: `first` is the first index of each variable's tile.
  bool isRead(std::span<const int64_t> first) const;
};

struct TilingSpace {
  std::vector<TilingVariable> variables;
  std::vector<TiledInstruction>
      instructions;                  // operands before users; the same one twice where it lies twice
  std::vector<size_t> roots;         // in `instructions`, one a result
  std::vector<size_t> rootElements;  // of those that give several arrays, which of them the result is

  // Numbers of the variables that have tiles.
  std::vector<size_t> tiled() const;
  // "d0", "d1"... of results, "s0"... folded, "rt0"... read.
  std::vector<std::string> names() const;
};

// Of what gives several arrays, which of them the value is: that of a get-tuple-element, past tuples and
// fusions that only pass it on; else 0.
size_t elementNumber(const Instruction& value);

// A fusion or call from the inside; another instruction alone, its operands as they are. The error
// ("not-tileable") names the instruction that cannot be tiled whatever the sizes, and why. The module
// outlives the space.
Result<TilingSpace> tilingSpace(const Instruction& instruction);

// What sizes have to fulfil, one sentence each: "reshape.3: the tile of d0 has to divide 6 or to be a
// multiple of it".
std::vector<std::string> tilingConstraints(const TilingSpace& space);

}  // namespace hilo
