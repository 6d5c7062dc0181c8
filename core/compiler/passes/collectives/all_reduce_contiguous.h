// All-reduces of several arrays, such as combining makes them, as one of all their elements: the arrays are
// laid one behind the other, reduced, and cut apart again, so that one piece of memory is sent. Left alone:
// where any all-reduce of the module constrains its layout, arrays of several types, with tiles or of bounded
// sizes, and results that lie otherwise than their operands. As XLA's
// hlo/transforms/collectives/all_reduce_contiguous.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> makeAllReducesContiguous(Module& module, PassContext& context);

}  // namespace hilo
