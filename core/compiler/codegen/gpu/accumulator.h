// What a reduction has added up so far (emit/fold.h), as values that threads hand to each other.
#pragma once

#include "core/compiler/codegen/emit/fold.h"
#include "core/compiler/codegen/gpu/block.h"
#include "core/compiler/codegen/gpu/reduction_form.h"

namespace hilo::gpu {

// Whether one of the reductions keeps order.
bool keepsAnOrder(const ReductionForm& form);
// Of the values of all reductions of the first stage, one after the other.
std::vector<ElementType> partTypes(const ReductionForm& form);

// Whose elements a kernel stores: the instruction's own, or those of the root of the fusion it is.
const Instruction& writtenBy(const Instruction& instruction);
// The element of array `i` of the root.
Scalar resultAt(ElementEmitter& elements, const Instruction& root, size_t i, const ElementIndex& index);

class Accumulator : public Fold {
 public:
  using Fold::Fold;

  // The values of `width` lanes side by side, a power of two, combined in their order: for the first lane.
  // Where `valid` is given those at or past it hold nothing; `lane` is the lane's place in the group.
  Scalars combineLanes(Block& block, Scalars own, int width, llvm::Value* lane = nullptr,
                       llvm::Value* valid = nullptr);
};

// Values of `count` holders in memory that a block shares: an array a value, or a part of a complex one.
class SharedAccumulators {
 public:
  SharedAccumulators(Block& block, KernelBuilder& kernel, std::vector<ElementType> types, int64_t count);
  void store(llvm::Value* place, const Scalars& values);
  Scalars load(llvm::Value* place);

 private:
  Block& block_;
  ScalarEmitter& s_;
  std::vector<ElementType> types_;
  std::vector<SharedArray> values_, imaginary_;
};

}  // namespace hilo::gpu
