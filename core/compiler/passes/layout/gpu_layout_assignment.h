// Decides in which order the dimensions of each array of a GPU program lie in memory, and copies where a user
// needs another order than the one there is. Parameters and results of the entry computation keep theirs;
// what loops, branches and calls take and give lies as their computations have it (layout_interfaces.h).
//
// Libraries and collectives state what they take: dots matrices of one stride, all-gathers and their like the
// dimension they cut in front, FFTs and sorts row-major, triangular solves column-major, cuDNN's convolutions
// the channels last or first. The rest follows (layout_constraints.h). Remarks: "copied" on the one that
// asks. As XLA's backends/gpu/transforms/layout_assignment.cc.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/layout/library_orders.h"

namespace hilo {

Result<bool> assignGpuLayouts(Module& module, PassContext& context, const GpuLayoutSettings& settings = {});

}  // namespace hilo
