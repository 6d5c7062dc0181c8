// A PTX module that the host runs: kernels as host code, and its global variables. loadPtx
// (core/compiler/codegen/simulate/load_ptx.h) makes one of a text.
//
//   TRY(SimulatedModule module, loadPtx(text, {.isChecked = true}));
//   SimulatedMemory memory;                       // needed in check mode alone
//   memory.add("x", std::as_writable_bytes(std::span(x)), true);
//   TRY(auto report, module.launch({.kernel = "saxpy", .grid = {8}, .params = bytes}, &memory));
//
// Pointers in params are addresses of the host. Blocks run one after the other, a further one beside them
// when all that run wait in loops (for the grid to meet, or for each other); threads of a block in the order
// of their numbers where nothing makes them wait. The same launch gives the same results each time.
//
// A launch that cannot go on ends: kinds "unknown-kernel", "wrong-launch" (sizes the kernel does not take),
// "deadlock", "endless-wait", "cancelled", "trap", "assertion-failed", "out-of-bounds" (check mode),
// "out-of-memory". Place has the file and the line of PTX; the message names kernel, block and thread.
// Findings of check mode that do not end it are in the report: "misaligned", "never-written", "race",
// "divergent-barrier". One launch at a time.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/runtime/device/simulated/launch.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/device/simulated/simulated_memory.h"

namespace hilo {

class SimulatedModule {
 public:
  // Error kinds are those of ObjectCode::load, and "unknown-global".
  static Result<SimulatedModule> load(SimulatedCode code);

  Result<SimulatedReport> launch(const SimulatedLaunch& launch, SimulatedMemory* memory = nullptr) const;

  const SimulatedCode& code() const;
  const SimulatedKernel* kernel(std::string_view name) const;
  // Where a .global or .const lies; empty where there is none of this name.
  std::span<std::byte> global(std::string_view name) const;
  // What kernels printed since this was last asked.
  std::string takeOutput() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hilo
