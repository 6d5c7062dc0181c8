// An all-to-all before or behind a dot, in as many parts as it has devices in a group: one part is sent while
// another is multiplied.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Of dot(all-to-all(x), y) and all-to-all(dot(x, y)), with transposes, reshapes that leave the split
// dimension whole and copies in between: the one contracted dimension is cut, and the dots' sums are added
// up. Nothing is done where it does not divide, where it is the split dimension, or where something else
// reads what is in between. Each dot gets a queue of its own. Remarks: "split". Gives whether it changed it.
bool splitAllToAlls(Module& module, PassContext& context);

}  // namespace hilo
