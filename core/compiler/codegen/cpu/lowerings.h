// How a processor's kernels are made: the functions of lowerings.def, and the shapes of loops they choose
// among, each in the lower_*.cpp of its name.
#pragma once

#include "core/analysis/matrix_product.h"
#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo::cpu {

#define LOWERING(opcode, function, values, find) \
  Status function(const Instruction& instruction, LoweringContext& context);
#include "core/compiler/codegen/cpu/lowerings.def"

// Whatever can be computed element by element, by the first of the shapes below that fits it.
Status lowerElementKernel(const Instruction& instruction, LoweringContext& context);

// False when it is no transpose, or one that needs no squares.
Result<bool> lowerTransposeInSquares(const Instruction& instruction, LoweringContext& context);
// False when it is no reduction, or fusion of some, that leaves the dense dimension.
Result<bool> lowerColumnReduction(const Instruction& instruction, LoweringContext& context);
Result<bool> lowerMinorReduction(const Instruction& reduction, LoweringContext& context);
// False when there is no concatenate whose elements stand where the result has them
// (lower_concatenate.cpp).
Result<bool> lowerInPieces(const Instruction& instruction, LoweringContext& context);
// False when the fusion does not go row by row around reductions of its rows.
Result<bool> lowerRows(const Instruction& fusion, LoweringContext& context);
// False when no tiles are stated for the fusion.
Result<bool> lowerTileProgram(const Instruction& fusion, LoweringContext& context);
// False when the fusion is not two dots and what lies between (lower_row_blocks.cpp).
Result<bool> lowerRowBlocks(const Instruction& fusion, LoweringContext& context);

// Dots and convolutions. Those that give a bool: false where it is none of theirs.
struct ProductOperands {
  const Instruction *lhs, *rhs;
};
bool lowerMatrixByVector(const Instruction& instruction, MatrixProduct product, ProductOperands operands,
                         LoweringContext& context);
bool lowerDepthwise(const Instruction& convolution, LoweringContext& context);

}  // namespace hilo::cpu
