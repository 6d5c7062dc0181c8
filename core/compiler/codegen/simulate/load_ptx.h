// From PTX text to a module that the host runs (core/runtime/device/simulated/simulated_module.h has the
// example). Each kernel becomes host code that runs one thread; what a warp, a block or a cluster does
// together is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/device/simulated/simulated_module.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

struct SimulateOptions {
  std::string file;  // what messages call the text
  // Each access is held against the memory that is known: slower, and finds what a device hides.
  bool isChecked = false;
  // Instructions, accesses to memory and branches are counted: SimulatedReport::counters.
  bool isCounted = false;
  std::vector<std::string> kernels;  // only these; none: all
  std::string cacheFolder;           // of compiled kernels, may be shared; "" keeps none
  int threads = 0;                   // that compile; 0: one a processor
  CancelToken cancel;
};

// What the kernels have that cannot be simulated, each with its line: kind "unsupported-instruction", or
// "unsupported-ptx" for what is no instruction. Nothing: all can.
Diagnostics simulationObstacles(const PtxModule& module, const SimulateOptions& options);

// Error kinds: "unsupported-instruction" (the message names the first, its notes the others),
// "codegen-failed", "unknown-kernel", "cancelled", "unsupported-cpu".
Result<SimulatedCode> simulatePtx(const PtxModule& module, const SimulateOptions& options);

// Reads, translates and loads. Error kinds: those of readPtx, simulatePtx and SimulatedModule::load.
Result<SimulatedModule> loadPtx(std::string_view text, const SimulateOptions& options = {});

}  // namespace hilo
