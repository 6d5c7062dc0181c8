// Slices that are one run of bytes of the array they are cut from.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// A slice, dynamic-slice, or the part that a dynamic-update-slice writes: above the outermost dimension that
// is cut there is one element, below it all. Of layouts the order of dimensions counts.
bool isContiguousSlice(const Instruction& slicing);

}  // namespace hilo
