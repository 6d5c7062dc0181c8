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
  Tiling resultTiling(const Tiling& nest) const { return resultTiling(nest, resultRank()); }
  Tiling resultTiling(const Tiling& nest, size_t rank) const {
    return renamed(nest, factorOfResult(factors, rank));
  }
};

// In how many parts the summed factors are together.
int64_t sumTiles(const LoopNest& nest, const Tiling& tiling);
// How the nest may lie over the devices; a dimension of the tiling is a factor. What the result wants comes
// first, then what each operand has, and what both can have at once.
std::vector<Tiling> candidatesOf(const LoopNest& nest);
// Estimated bytes that a device receives when the nest lies like this.
double costOf(const LoopNest& nest, const Tiling& tiling);
// The candidate that XLA's order prefers, of several the one that moves fewest bytes; or that at once.
Tiling chooseTiling(const LoopNest& nest, bool fewestBytes);

// Of partial sums. Factors whose parts cannot be put together are dropped.
void dropSumsThatCannotBe(LoopNest& nest);
// Makes what lies beside the arrays along summed factors neutral.
void maskSums(LocalBuilder& builder, const LoopNest& nest, std::vector<Part>& operands);
// The same, and start values but on the devices with the first part.
void prepareSums(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands);
// The devices whose partial sums belong together.
DeviceGroups sumGroups(const LoopNest& nest, const Tiling& tiling);

}  // namespace hilo
