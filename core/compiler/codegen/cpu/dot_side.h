// A side of a dot on tiles where a thread's products read it: where it lies, or in room of its own in the
// type of the sums, so many lines of it at a time. The left is read an element at a time, so that any order
// of it will do; lines of the right that are neighbours are vectors. In room they lie close together: for
// columns whose places in the sum are far apart there is little of the near cache. A right side that is the
// same for all tiles, and not too large, is brought once, ahead of them.
#pragma once

#include "core/compiler/codegen/cpu/host_worker.h"
#include "core/compiler/codegen/tiles/dot_tile.h"

namespace hilo::cpu {

class DotSide {
 public:
  // `lines` are brought at once at most; `lanes` of a vector of sums, a power of two.
  DotSide(tiles::TileEmitter& tiles, tiles::DotTileForm& form, size_t side, int64_t lines, int64_t lanes,
          HostWorker& worker);

  // Of the present step so many lines, rows of the left or columns of the right, from the first on.
  void bring(llvm::Value* batch, llvm::Value* first, int64_t lines);
  // The element of a line of those, at a place in the sum.
  llvm::Value* at(llvm::Value* line, llvm::Value* summed);

 private:
  struct Strides {
    int64_t line, sum;
  };
  std::optional<Strides> stridesWhereItLies();
  bool isReadableThere() const;
  bool isSameForAllTiles() const;
  void bringAll(llvm::Value* batches);
  llvm::Value* roomOf(llvm::Value* batch, llvm::Value* first);
  bool isAlongSum() const;
  void fillRoom(int64_t lines);
  void fill(llvm::Value* room, const Strides& strides, llvm::Value* firstLine, int64_t lines);
  void write(llvm::Value* line, llvm::Value* summed, llvm::Value* to);
  void fillTurned(int64_t lines);
  void turn(llvm::Value* from, int64_t stride, llvm::Value* column);
  llvm::Value* startWhereItLies();
  llvm::Value* place(llvm::Value* start, const Strides& strides, llvm::Value* line, llvm::Value* summed);

  tiles::TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  tiles::DotTileForm& form_;
  const size_t side_;
  const int64_t lines_, depth_, lanes_;  // lines at once
  llvm::Type* const element_;
  const std::optional<Strides> there_;  // of elements of the type of the sums that lie evenly in memory
  Strides strides_{};
  llvm::Value *batch_ = nullptr, *first_ = nullptr;  // of what was brought
  llvm::Value *room_ = nullptr, *start_ = nullptr;
  llvm::Value* lineRoom_ = nullptr;  // as many lines as a vector has lanes
  bool isBroughtAhead_ = false;      // all lines, as many as are brought at once after each other
};

}  // namespace hilo::cpu
