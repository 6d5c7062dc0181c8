// A dot on tiles as products of matrices: which elements of the operands' tiles go into an element of the
// result's, by the number of the batch, the row, the column and the place in the sum.
#pragma once

#include "core/compiler/codegen/tiles/tile_emitter.h"

namespace hilo::tiles {

// In which type products are added: f64 where one of the types is, else f32 of floats; integers in as many
// bits as the result has.
ElementType dotSumType(const Instruction& dot);

class DotTileForm {
 public:
  DotTileForm(TileEmitter& tiles, size_t operation);

  const TileOperation& dot() const { return dot_; }
  ElementType sumType() const { return sumType_; }
  int64_t batch() const { return count(batch_); }
  int64_t lines(size_t side) const { return count(free_[side]); }  // rows of the left, columns of the right
  int64_t depth() const { return count(summed_); }

  // Whether all tiles and steps are whole: then every element of a side lies in its array.
  bool isWhole(size_t side) const;
  // Of side 0 its row, of side 1 its column; and its place in the sum. null: always.
  llvm::Value* isIn(size_t side, llvm::Value* batch, llvm::Value* line, llvm::Value* summed);
  // The element as it is, of a scaled dot times its scale, in f32.
  Scalar element(size_t side, llvm::Value* batch, llvm::Value* line, llvm::Value* summed);
  ElementType elementType(size_t side) const;
  // Where it is in its side's tile.
  Place place(size_t side, llvm::Value* batch, llvm::Value* line, llvm::Value* summed);
  // By what each dimension of the side's tile is from one element to the next: what lines, and places in the
  // sum, are, where all are as far apart.
  std::optional<int64_t> lineStride(size_t side, std::span<const int64_t> strides) const;
  std::optional<int64_t> sumStride(size_t side, std::span<const int64_t> strides) const;
  // By the operand's layout neighbours in the sum are neighbours in memory.
  bool isAlongSum(size_t side) const;
  // The same in the type of the sums.
  llvm::Value* addend(size_t side, llvm::Value* batch, llvm::Value* line, llvm::Value* summed);

  Place resultAt(llvm::Value* batch, llvm::Value* row, llvm::Value* column);
  // The sum as an element of the result.
  Scalar result(llvm::Value* sum);

 private:
  using Sizes = std::vector<int64_t>;
  static int64_t count(const Sizes& sizes);
  Place split(const Sizes& sizes, llvm::Value* number);
  Scalar scale(size_t side, const Place& place);

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TileOperation& dot_;
  const ElementType sumType_;
  std::vector<int64_t> batchDims_[2], freeDims_[2], summedDims_[2];  // of the operands
  Sizes batch_, free_[2], summed_;
};

}  // namespace hilo::tiles
