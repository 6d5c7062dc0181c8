// Who does the elements of a tile: one thread of a processor, or the threads of a GPU's block. What is
// written of a tile program is the same for all (tile_emitter.h) but for this.
#pragma once

#include "core/analysis/dimension_order.h"
#include "core/compiler/codegen/tiles/tile_room.h"

namespace hilo::tiles {

class TileEmitter;

// The place of an element in its tile, one number a dimension.
using Place = llvm::SmallVector<llvm::Value*, 6>;

// A tile whose first element is known: where each element lies in the array.
struct PlacedTile {
  std::vector<int64_t> sizes, strides;
  std::vector<int64_t> bounds;              // of the array
  std::vector<bool> isMasked, mayBeBefore;  // some tile reaches past the end, or before the beginning
  Place firsts;
  DimensionOrder order;  // the last varies fastest in memory
};

class TileWorkers {
 public:
  virtual ~TileWorkers() = default;

  // Memory that all workers see, as long as the kernel runs.
  virtual llvm::Value* allocate(llvm::Type* type, int64_t count) = 0;
  // What any of them wrote before is seen by all after.
  virtual void meet() = 0;
  // Each element of the tile that lies in the array, by one of the workers.
  virtual void forEach(const PlacedTile& tile, const std::function<void(const Place&)>& body) = 0;
  // Folds, and gives TileEmitter what it holds then.
  virtual Status reduce(TileEmitter& tiles, size_t operation) = 0;
  virtual Status dot(TileEmitter& tiles, size_t operation) = 0;
};

}  // namespace hilo::tiles
