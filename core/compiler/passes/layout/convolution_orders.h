// In which orders cuDNN's convolutions have their arrays: the channels last (NHWC), or first (NCHW). XLA's
// backends/gpu/transforms/layout_assignment.cc.
#pragma once

#include "core/compiler/passes/layout/library_orders.h"

namespace hilo {

// Of an operand; none where the instruction is no such call and no convolution of a stated kind, or the
// operand has no more than one dimension.
std::optional<DimensionOrder> convolutionOperandOrder(const Instruction& call, size_t index,
                                                      const GpuLayoutSettings& settings);
// Of the convolution's result; of a call, element 0 of the tuple.
std::optional<DimensionOrder> convolutionResultOrder(const Instruction& call,
                                                     const GpuLayoutSettings& settings);

}  // namespace hilo
