// Notes where in memory each dynamic-slice and dynamic-update-slice of one run of bytes lies: at byte_offset
// in the first iteration of the loop it is in, and byte_stride further in each following one
// (dynamic_slice_config). Only where offsets are constants or follow the loop's counter evenly, also
// through calls and asynchronous computations. As XLA's backends/gpu/transforms/dynamic_slice_annotator.cc;
// offsets that trail the counter by an iteration are left.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateDynamicSlices(Module& module, PassContext& context);

}  // namespace hilo
