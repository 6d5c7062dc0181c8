// `hilo`: the workspace on the command line.
#include <malloc.h>

#include <limits>

#include "app/cli/command_line.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/worker.h"
#include "core/workspace/watch/pass_process.h"

int main(int argc, char** argv) {
  if (const auto status = hilo::serveIfWorker(argc, argv)) return *status;
  if (const auto status = hilo::serveEnginesIfAsked(argc, argv)) return *status;
  if (const auto status = hilo::servePassesIfAsked(argc, argv)) return *status;
  // A command ends soon: what one step freed is for the next, not for the system, which would clear it anew.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  return hilo::cli::runCommandLine(argc, argv);
}
