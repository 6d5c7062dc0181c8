// `hilo`: the workspace on the command line.

#include "app/cli/command_line.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/worker.h"
#include "core/workspace/watch/pass_process.h"

int main(int argc, char** argv) {
  if (const auto status = hilo::serveIfWorker(argc, argv)) return *status;
  if (const auto status = hilo::serveEnginesIfAsked(argc, argv)) return *status;
  if (const auto status = hilo::servePassesIfAsked(argc, argv)) return *status;
  return hilo::cli::runCommandLine(argc, argv);
}
