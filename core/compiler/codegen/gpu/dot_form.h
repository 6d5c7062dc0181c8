// A dot as products of matrices, by elements of its operands wherever they come from, and the tiles of them
// that a block works on.
#pragma once

#include <optional>

#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/gpu/block.h"

namespace hilo::gpu {

// Logical dimensions of one operand. `free` are in the order they have in the result.
struct DotSide {
  const Instruction* operand;
  std::vector<int64_t> batch, free, summed;

  Shape shape() const { return operand->shape(); }
  int64_t count(const std::vector<int64_t>& dims) const;
  // Neighbours in memory are those of a free dimension, not of a summed one.
  bool isAlongFree() const { return !isDense(summed, 1) && isDense(free, 1); }
  // Whether neighbours of the last of `dims` are so in memory, and their number is a multiple of `length`.
  bool isDense(const std::vector<int64_t>& dims, int64_t length) const;
};

// result[batch, row, column] is the sum over i of left[batch, row, i] * right[batch, column, i].
struct DotForm {
  const Instruction* dot;
  DotSide left, right;

  int64_t batch() const { return left.count(left.batch); }
  int64_t rows() const { return left.count(left.free); }
  int64_t columns() const { return right.count(right.free); }
  int64_t sum() const { return left.count(left.summed); }
  // Of the result, from the places of a batch, a row and a column.
  ElementIndex resultAt(KernelBuilder& k, llvm::Value* batch, llvm::Value* row, llvm::Value* column) const;
};
// Of a ragged dot without the dimension of the groups, of which each has a matrix on the right.
DotForm dotFormOf(const Instruction& dot);
// In what its products are added up: complex numbers in c128, floats of 32 bits and narrower in f32, integers
// in as many bits as the result has. nullopt: its types are of several kinds, or pred.
std::optional<ElementType> dotSumType(const Instruction& dot);

// Places in `dims` of the operand, from a number that counts them, the last fastest.
void placeIn(KernelBuilder& k, const DotSide& side, const std::vector<int64_t>& dims, llvm::Value* number,
             llvm::SmallVector<llvm::Value*, 6>& at);

// A tile of one side in memory that a block shares: `lines` of free places by `depth` summed ones.
class DotTile {
 public:
  DotTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines, int64_t depth)
      : elements_(elements),
        k_(elements.kernel()),
        block_(block),
        side_(side),
        lines_(lines),
        depth_(depth) {}

  // The operand's place in a dimension that is none of the side's.
  void setPlace(int64_t d, llvm::Value* place) { others_.emplace_back(d, place); }

  // All of the block fill it; `give` stores an element, which is none of the operand where `isIn` is false.
  void fill(llvm::Value* batch, llvm::Value* firstLine, llvm::Value* firstSummed,
            const std::function<void(llvm::Value* line, llvm::Value* i, const Scalar& element,
                                     llvm::Value* isIn)>& give);

 private:
  ElementEmitter& elements_;
  KernelBuilder& k_;
  Block& block_;
  const DotSide& side_;
  int64_t lines_, depth_;
  std::vector<std::pair<int64_t, llvm::Value*>> others_;
};

}  // namespace hilo::gpu
