// The real sizes of arrays with fewer elements than their bounds (lower_dynamic.cpp).
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

bool readsRealSizes(const Instruction& instruction, const LoweringContext& context);
// Error kind "unsupported-dynamic-shape", as checkSizesFit.
Status checkDynamicOperands(const Instruction& instruction, const LoweringContext& context);
// Of what a loop or branch hands on: only dimensions its shape calls dynamic may have real sizes.
Status checkSizesFit(const Instruction& instruction, const LeafValues& values);
// Memory for the real sizes of an array's dynamic dimensions, and moving sizes into it.
std::vector<SlabPointer> newSizes(Shape array, LoweringContext& context);
void copySizes(const Instruction& why, const LeafValue& from, Shape array, const std::vector<SlabPointer>& to,
               LoweringContext& context);
// Gives an array the sizes its operands have: elementwise operations, of which those on several sizes are no
// longer there, those of the first operand that has any.
void passSizesOn(const Instruction& instruction, LoweringContext& context);

// Of a reduction: the dimensions of what it folds that have a size, and these sizes, which its kernel reads
// as tables (ElementEmitter::addRealSize).
struct FoldedSizes {
  std::vector<size_t> dimensions;
  LeafValues sizes;
};
FoldedSizes foldedSizes(const Instruction& instruction, const LoweringContext& context);

}  // namespace hilo
