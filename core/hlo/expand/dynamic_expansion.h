// An operation on arrays with fewer elements than their bounds, on its way to HLO that heeds
// that (dynamic_padding.h).
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo {

// The real size of each dimension, an s32 scalar; null: the bound.
using RealSizes = std::vector<Instruction*>;

class DynamicExpansion : public library::Expansion {
 public:
  using Expansion::Expansion;

  std::unexpected<Diagnostic> refuse(std::string_view why) const;

  RealSizes sizesOf(size_t operand) const;
  // The operand with its padding as elements like others: of static shape.
  Instruction* whole(size_t operand) const;
  // The same with `fill`, a scalar, for padding of one dimension.
  Instruction* filled(Instruction* whole, size_t dimension, Instruction* size, Instruction* fill) const;
  // A scalar of which all bits are zero.
  Instruction* zero(ElementType type) const;
  // Where along a dimension each element of `shape` stands.
  Instruction* places(Shape shape, size_t dimension) const;

  // s32 scalars.
  Instruction* number(int64_t value) const;
  Instruction* size(const RealSizes& sizes, Shape bounds, size_t dimension) const;
  Instruction* plus(Instruction* a, Instruction* b) const { return binary(Opcode::Add, a, b); }
  Instruction* minus(Instruction* a, Instruction* b) const { return binary(Opcode::Subtract, a, b); }
  Instruction* times(Instruction* a, Instruction* b) const { return binary(Opcode::Multiply, a, b); }
  Instruction* atLeast(Instruction* a, int64_t least) const;
  Instruction* equals(Instruction* a, Instruction* b) const;
  // a / b rounded up, of an `a` no less than zero.
  Instruction* dividedUp(Instruction* a, int64_t b) const;

  // The operation itself on other operands, of the bounds of its result.
  Instruction* again(std::span<Instruction* const> operands) const;
  Instruction* again(std::initializer_list<Instruction*> operands) const {
    return again(std::span<Instruction* const>(operands.begin(), operands.size()));
  }
  // A value of static shape with these sizes, as the operation gives it, or one of the arrays it gives.
  Result<Instruction*> give(Instruction* value, const RealSizes& sizes) const {
    return give(value, sizes, shape());
  }
  Result<Instruction*> give(Instruction* value, const RealSizes& sizes, Shape shape) const;
  // The first of a tuple's elements, or the one array.
  Result<Instruction*> giveElements(Instruction* value, std::span<const RealSizes> sizes) const;
};

// Of an elementwise operation: whether it is not plain that all operands of any size have the same.
bool mayDifferInSizes(const Instruction& elementwise);
Result<Instruction*> padElementwise(DynamicExpansion& expansion);
#define PADDED(opcode, function) Result<Instruction*> function(DynamicExpansion&);
#include "core/hlo/expand/dynamic_padding.def"

}  // namespace hilo
