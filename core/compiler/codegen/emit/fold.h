// How a reduction's elements are put together, as operations on values: sums of floats in f64, all else in
// the types of the applied computation.
#pragma once

#include "core/compiler/codegen/emit/element_emitter.h"

namespace hilo {

using Scalars = std::vector<Scalar>;

// An operation may be applied in any order, and there is what changes nothing.
bool isInAnyOrder(Opcode opcode, ElementType type);

struct Folding {
  std::optional<Opcode> opcode;    // where it is one operation
  std::vector<ElementType> types;  // of the values, one a result
  bool isSum;                      // of floats
  bool keepsOrder;  // it has to be applied to elements in their order: it is none of those known

  static Folding of(const Instruction& reduction);
};

// What a reduction has added up so far: one value a result.
class Fold {
 public:
  Fold(ElementEmitter& elements, const Instruction& reduction)
      : elements_(elements),
        k_(elements.kernel()),
        s_(k_.scalars()),
        reduction_(reduction),
        folding_(Folding::of(reduction)) {}

  bool keepsOrder() const { return folding_.keepsOrder; }
  size_t count() const { return folding_.types.size(); }
  const Instruction& reduction() const { return reduction_; }
  const std::vector<ElementType>& types() const { return folding_.types; }
  // Where it is one operation.
  std::optional<Opcode> opcode() const { return folding_.opcode; }

  // What the reduction begins with.
  Scalars initial();
  // What changes nothing: not of one that keeps order.
  Scalars neutral();
  Scalars element(const ElementIndex& index);
  // The operands' elements as what is folded.
  Scalars widened(Scalars elements);
  Scalars combine(const Scalars& a, const Scalars& b);
  // As elements of the result.
  Scalars result(const Scalars& total);

 protected:
  ElementEmitter& elements_;
  KernelBuilder& k_;
  ScalarEmitter& s_;

 private:
  Scalar wide(const Instruction& operand, size_t parameter, Scalar x);

  const Instruction& reduction_;
  Folding folding_;
};

}  // namespace hilo
