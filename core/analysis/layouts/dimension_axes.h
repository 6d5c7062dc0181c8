// Which dimensions of one array are which of another that is made of it: "axes", followed through transposes,
// bitcasts that split and join dimensions, slices, broadcasts and reductions, so that the same axis has one
// colour along a chain of values.
#pragma once

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// A part of an axis: every index of it that is i * stride + ... for i below size.
struct AxisPiece {
  int axis = 0;
  int64_t size = 1, stride = 1;
  friend bool operator==(const AxisPiece&, const AxisPiece&) = default;
};
// From major to minor, of each dimension; a dimension of size one has none.
using DimensionAxes = std::vector<std::vector<AxisPiece>>;

// Gives out the numbers of axes that nothing else has.
class AxisNumbers {
 public:
  int take() { return next_++; }

 private:
  int next_ = 0;
};

DimensionAxes freshAxes(Shape shape, AxisNumbers& numbers);
// Of an instruction's result by its operand's, and the other way round. `operand`, `result`: their shapes. Of
// what an instruction does not carry over, fresh ones.
DimensionAxes axesOfResult(const Instruction& instruction, Shape operand, Shape result,
                           const DimensionAxes& ofOperand, AxisNumbers& numbers);
DimensionAxes axesOfOperand(const Instruction& instruction, Shape operand, Shape result,
                            const DimensionAxes& ofResult, AxisNumbers& numbers);

// The pieces as they lie in memory, from major to minor.
std::vector<AxisPiece> piecesInMemory(Shape shape, const DimensionAxes& axes);
// The order in which an array's axes lie as in `memory`. Nothing where a dimension has an axis that is not
// there, or one whose pieces lie apart.
std::optional<DimensionOrder> orderLike(Shape shape, const DimensionAxes& axes,
                                        std::span<const AxisPiece> memory);

}  // namespace hilo
