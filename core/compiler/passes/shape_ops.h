// Operations that change how an array is shaped, made in front of another instruction, whose metadata they
// carry on. Each gives the value itself where there is nothing to do. Results lie in row-major order where
// the value has a layout, and have none where it has none.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

Instruction* reshapeTo(Instruction* value, std::span<const int64_t> dimensions, Instruction& before);
// The same with just this shape, in row-major order.
Instruction* reshapedAs(Instruction* value, Shape shape, Instruction& before);
// dimension d of the result is dimension permutation[d] of the value.
Instruction* transposeBy(Instruction* value, std::span<const int64_t> permutation, Instruction& before);
// dimension d of the value is dimension dimensions[d] of the result.
Instruction* broadcastTo(Instruction* value, std::span<const int64_t> sizes,
                         std::span<const int64_t> dimensions, Instruction& before);
Instruction* convertTo(Instruction* value, ElementType type, Instruction& before);
// Element `k`, in row-major order, as a scalar.
Instruction* elementOf(Instruction* value, int64_t k, Instruction& before);
// A slice of the leading elements, from 0 to `sizes`.
Instruction* cutTo(Instruction* value, std::span<const int64_t> sizes, Instruction& before);
// The value followed by `fill` up to `sizes`.
Instruction* padTo(Instruction* value, std::span<const int64_t> sizes, Instruction* fill,
                   Instruction& before);
Instruction* elementOfTuple(Instruction* tuple, int64_t index, Instruction& before);
// The same bytes as `shape`.
Instruction* bitcastTo(Instruction* value, Shape shape, Instruction& before);
// An array of `value`'s kind (layout or none) with these sizes.
Shape arrayLike(Shape shape, ElementType type, std::span<const int64_t> dimensions);
// True where it has no layout, or a plain one with the last dimension minor.
bool liesRowMajor(Shape shape);
// A layout that is an order of dimensions and nothing else, or none.
bool isPlainArray(Shape shape);
// A computation that adds two scalars.
Computation* additionOf(Module& module, ElementType type, Computation* before);

}  // namespace hilo
