// An operation as the loop nest of its factors, and how the nest lies over the devices.
#pragma once

#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/reshard.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {

// The loop nest of an instruction and where its operands and result are now and should be.
struct LoopNest {
  const Instruction& instruction;
  OpFactors factors;
  std::vector<Part> operands;
  Tilings wanted;

  size_t resultRank() const {
    const Shape shape = leavesOf(instruction.shape())[0];
    return shape.isArray() ? shape.rank() : 0;
  }
  Tiling operandTiling(const Tiling& nest, size_t operand) const {
    const Shape shape = operands[operand].global;
    return renamed(nest, factorOfDimension(factors, operand, shape.isArray() ? shape.rank() : 0));
  }
  Tiling resultTiling(const Tiling& nest) const {
    return renamed(nest, factorOfResult(factors, resultRank()));
  }
};

// In how many parts the summed factors are together.
int64_t sumTiles(const LoopNest& nest, const Tiling& tiling);
// A dimension of the tiling is a factor. Of the ways that the result's sharding and the operands' suggest the
// one that moves fewest bytes; of a product one that leaves an operand where it is, if there is one.
Tiling chooseTiling(const LoopNest& nest);

// Of partial sums. Factors whose parts cannot be put together are dropped.
void dropSumsThatCannotBe(LoopNest& nest);
// Makes what lies beside the arrays neutral, and start values but on the devices with the first part.
void prepareSums(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands);
// The devices whose partial sums belong together.
DeviceGroups sumGroups(const LoopNest& nest, const Tiling& tiling);

}  // namespace hilo
