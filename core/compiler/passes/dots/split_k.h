// Cuts long sums of dots whose result is too small to fill a GPU: the parts are a batch dimension, and a
// reduction adds what they give, in f32 of narrower floats. As XLA's
// backends/gpu/transforms/splitk_rewriter.cc, which counts what the device holds at a time. Remark: "split"
// with the number of parts.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitLongSums(Module& module, PassContext& context);

// What a dot over one contracting dimension gives, in front of it, by parts that divide the sum; operands and
// result lie row-major.
Instruction* splitSum(Instruction& dot, int64_t parts);

}  // namespace hilo
