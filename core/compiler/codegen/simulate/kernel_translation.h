// Private to the room: one kernel of PTX as LLVM IR of the host.
#pragma once

#include <string>

#include "core/base/diagnostic.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

struct TranslatedKernel {
  std::string bitcode;     // "" where there are problems
  SimulatedKernel kernel;  // without its object
  Diagnostics problems;    // what of it cannot be simulated, each with its line
};
TranslatedKernel translateKernel(const PtxModule& module, const PtxFunction& kernel,
                                 const SimulateOptions& options);

}  // namespace hilo
