#include "core/workspace/run/worker.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "core/runtime/worker/serve.h"
#include "core/workspace/run/call_handlers.h"
#include "core/workspace/run/device_engines.h"

namespace hilo {

WorkerOptions ownWorker() {
  return {.command = {"/proc/self/exe", "worker"},
          .memoryLimitBytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)};
}

std::optional<int> serveIfWorker(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "worker") return std::nullopt;
  return serveWorker(FileDescriptor(std::atoi(argv[2])), findCallHandler, openDeviceHere);
}

}  // namespace hilo
