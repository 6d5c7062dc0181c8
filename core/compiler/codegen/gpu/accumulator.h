// What a reduction has added up so far, one element a result, as values that threads hand to each other: sums
// of floats in f64, all else in the types of the applied computation.
#pragma once

#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/gpu/block.h"
#include "core/compiler/codegen/gpu/reduction_form.h"

namespace hilo::gpu {

using Scalars = std::vector<Scalar>;

// An operation may be applied in any order, and there is what changes nothing.
bool isInAnyOrder(Opcode opcode, ElementType type);

// How a reduction's elements are put together.
struct Folding {
  std::optional<Opcode> opcode;    // where it is one operation
  std::vector<ElementType> types;  // of the values, one a result
  bool isSum;                      // of floats
  bool keepsOrder;  // it has to be applied to elements in their order: it is none of those known

  static Folding of(const Instruction& reduction);
};

// Whether one of the reductions keeps order.
bool keepsAnOrder(const ReductionForm& form);
// Of the values of all reductions of the first stage, one after the other.
std::vector<ElementType> partTypes(const ReductionForm& form);

// Whose elements a kernel stores: the instruction's own, or those of the root of the fusion it is.
const Instruction& writtenBy(const Instruction& instruction);
// The element of array `i` of the root.
Scalar resultAt(ElementEmitter& elements, const Instruction& root, size_t i, const ElementIndex& index);

class Accumulator {
 public:
  Accumulator(ElementEmitter& elements, const Instruction& reduction)
      : elements_(elements),
        k_(elements.kernel()),
        s_(k_.scalars()),
        reduction_(reduction),
        folding_(Folding::of(reduction)) {}

  bool keepsOrder() const { return folding_.keepsOrder; }
  size_t count() const { return folding_.types.size(); }
  const Instruction& reduction() const { return reduction_; }
  const std::vector<ElementType>& types() const { return folding_.types; }

  // What the reduction begins with.
  Scalars initial();
  // What changes nothing: not of one that keeps order.
  Scalars neutral();
  Scalars element(const ElementIndex& index);
  Scalars combine(const Scalars& a, const Scalars& b);
  // As elements of the result.
  Scalars result(const Scalars& total);

  // The values of `width` lanes side by side, a power of two, combined in their order: for the first lane.
  // Where `valid` is given those at or past it hold nothing; `lane` is the lane's place in the group.
  Scalars combineLanes(Block& block, Scalars own, int width, llvm::Value* lane = nullptr,
                       llvm::Value* valid = nullptr);

 private:
  Scalar wide(const Instruction& operand, size_t parameter, Scalar x);

  ElementEmitter& elements_;
  KernelBuilder& k_;
  ScalarEmitter& s_;
  const Instruction& reduction_;
  Folding folding_;
};

// Values of `count` holders in memory that a block shares: an array a value, or a part of a complex one.
class SharedAccumulators {
 public:
  SharedAccumulators(Block& block, KernelBuilder& kernel, const Accumulator& accumulator, int64_t count);
  void store(llvm::Value* place, const Scalars& values);
  Scalars load(llvm::Value* place);

 private:
  Block& block_;
  ScalarEmitter& s_;
  std::vector<ElementType> types_;
  std::vector<SharedArray> values_, imaginary_;
};

}  // namespace hilo::gpu
