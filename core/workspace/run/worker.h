// Worker processes of the programs that use the workspace: compiled code runs in one, so that a crash, a hang
// or a lack of memory ends it and not the program.
#pragma once

#include <optional>

#include "core/runtime/worker/worker_options.h"

namespace hilo {

// What starts this very program as a worker, with what a run may take by default: any time, and as much
// memory as the machine has. Only for programs whose main() calls serveIfWorker.
WorkerOptions ownWorker();

// First thing in main(): serves and gives the exit status when the program was started as a
// worker; else nullopt.
std::optional<int> serveIfWorker(int argc, char** argv);

}  // namespace hilo
