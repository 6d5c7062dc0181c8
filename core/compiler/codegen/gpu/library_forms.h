// Instructions as calls to NVIDIA's libraries: nothing where they have another form than the library takes.
// `left` is the first operand of a dot in matters of rows, `right` the second.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"
#include "core/runtime/program/library_call.h"

namespace hilo::gpu {

// A dot, or a fusion of one of its parameters with a bias along the fastest varying dimension and maximum(x,
// 0) behind it; operands are the instruction's own.
std::optional<MatrixProductCall> matrixProductOf(const Instruction& instruction);
// A transform of dense arrays along their last one to three dimensions.
std::optional<FourierCall> fourierOf(const Instruction& fft);
// Row-major matrices.
std::optional<CholeskyCall> choleskyOf(const Instruction& cholesky);
std::optional<TriangularSolveCall> triangularSolveOf(const Instruction& solve);
// Arrays whose features are the second dimension or the fastest varying one.
std::optional<ConvolutionCall> convolutionOf(const Instruction& convolution);

}  // namespace hilo::gpu
