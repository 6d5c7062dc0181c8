// A thread as the worker of a tile: elements in loops in the order of memory, the innermost vectors; what
// folds give, and what they fold where it is asked for again, lies on its stack.
#pragma once

#include "core/compiler/codegen/tiles/tile_emitter.h"

namespace hilo::cpu {

class HostWorker final : public tiles::TileWorkers {
 public:
  HostWorker(KernelBuilder& kernel, const VectorRegisters& registers)
      : k_(kernel), b_(kernel.b()), registers_(registers) {}

  llvm::Value* allocate(llvm::Type* type, int64_t count) override;
  void meet() override {}
  // The dimension that varies fastest in memory innermost, where LLVM makes vectors of it.
  void forEach(const tiles::PlacedTile& tile, const std::function<void(const tiles::Place&)>& body) override;
  Status reduce(tiles::TileEmitter& tiles, size_t operation) override;
  Status dot(tiles::TileEmitter& tiles, size_t operation) override;

  tiles::TileRoom room(ElementType type, int64_t count);
  // Goes through the tiles; what is written by `beforeTiles` inside of a tile is done once, ahead of all.
  void forEachTile(const std::function<void(llvm::Value* number)>& body);
  void beforeTiles(const std::function<void()>& body);

  // So many more bytes stay near: what is kept is quicker read back than computed again.
  bool hasRoomFor(int64_t bytes) const;
  // What is written ahead of the tiles is gone through from its beginning to its end, as what it was made of
  // would be: it takes nothing from what is near.
  bool hasRoomAhead(int64_t bytes) const;
  llvm::Value* allocateAhead(llvm::Type* type, int64_t count);
  // Error kind "tile-too-large": more than a thread's stack is asked for.
  Status fits() const;

  struct Range {
    llvm::Value *from, *to;
  };
  // The places of a dimension that lie in the array.
  Range insideOf(const tiles::PlacedTile& tile, size_t d);

 private:
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const VectorRegisters registers_;
  int64_t bytes_ = 0, aheadBytes_ = 0;
  llvm::BasicBlock* ahead_ = nullptr;  // where what is done before the tiles ends
};

// A fold of lines that lie side by side: each line in vectors (emit/minor_fold.h), read where it lies or
// computed into room on the stack first. What else asks for its elements reads them there. False where it is
// none of these.
Result<bool> foldLines(tiles::TileEmitter& tiles, size_t operation, HostWorker& worker);  // in one step
// What one of several steps folds, put to the totals, which are of the type that `fold` has.
bool addLines(tiles::TileEmitter& tiles, size_t operation, HostWorker& worker, Fold& fold,
              const tiles::TileRoom& totals);

}  // namespace hilo::cpu
