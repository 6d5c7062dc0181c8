// Private to the room: functions in which threads wait, written into the kernel that calls them, so that it
// can be cut where they wait (split_regions.h).
#pragma once

#include <llvm/IR/Module.h>

#include "core/base/diagnostic.h"

namespace hilo {

// Afterwards no function but the kernel waits, and its values are in registers. A problem, kind
// "unsupported-ptx": a function that waits and calls itself.
void inlineWaits(llvm::Module& module, llvm::Function& kernel, Diagnostics& problems);

}  // namespace hilo
