// Flops of the operations that multiply and add: two a multiply-add.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// dot, ragged-dot and scaled-dot: output elements times the contracted sizes.
int64_t dotFlops(const Instruction& dot);
// Multiply-adds with padding or a hole of base dilation do not count. 0 when window or dim_labels are missing
// or out of range.
int64_t convolutionFlops(const Instruction& convolution);
// How many (kernel position, output position) pairs of one spatial dimension meet an input element.
int64_t validWindowPositions(const WindowDimension& window, int64_t inputSize, int64_t kernelSize,
                             int64_t outputSize);

}  // namespace hilo
