// Does elementwise work that is done on slices of the same arrays once, on the arrays, and slices the
// result, where the slices together are no less than the whole. As
// xla/hlo/transforms/simplifiers/slice_sinker.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sinkSlices(Module& module, PassContext& context);

}  // namespace hilo
