// Which computations a pass for the device looks at.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Those that run on the thread "main", in the module's order: not what is marked for another thread, such as
// execution_thread="host", nor what only that calls. XLA runs the passes of its pipelines with
// execution_threads={"main"} to the same effect.
std::vector<Computation*> mainComputations(Module& module);
// Of these, those that are not the body of a fusion, in which nothing may be left unused.
std::vector<Computation*> unfusedComputations(Module& module);

}  // namespace hilo
