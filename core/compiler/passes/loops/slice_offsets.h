// Where in memory slices lie, noted as a function of the iteration (dynamic_slice_annotator.h), when
// iterations are written out.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Which iterations of the loop as it was a copy of its body does: `first`, and where `step` is not 0 every
// step-th from there on.
struct CopiedIterations {
  int64_t first = 0, step = 0;
  bool isOutside = false;  // the copy stands in front of the loop or in its place
};

// Of the instruction, and of what a fusion does. Offsets by a loop farther out stay what they are.
void moveSliceOffsets(Instruction& instruction, const CopiedIterations& iterations);

}  // namespace hilo
