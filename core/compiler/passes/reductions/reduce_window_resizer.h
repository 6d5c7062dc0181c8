// Makes reduce-windows of vectors ones of matrices of one row, which GPUs have a kernel for; XLA's has one
// column whose elements are neighbours, the same bytes. Of plain arrays in row-major order. As XLA's
// hlo/transforms/simplifiers/reduce_window_resizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> resizeReduceWindows(Module& module, PassContext& context);

// A reduce-window of arrays whose sizes are known, in row-major order.
bool isPlainWindow(const Instruction& i);
// Of vectors, the same of rows, made in front of it: what it gives, in its shape.
Instruction* windowOverRow(Instruction& window);

}  // namespace hilo
