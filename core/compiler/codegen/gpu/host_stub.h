// Kernels for this machine that hand what they are called with to a function: so that a program whose kernels
// run elsewhere runs in the executor of the host. They hold addresses of this process and are of no use
// beyond it.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct StubCall {
  void (*function)(const void* state, void* const* buffers, int64_t begin, int64_t end);
  const void* state;
};

// An object a call, each with the function KernelBuilder::kSymbol. `host` is this machine. Error kind
// "codegen-failed".
Result<std::vector<KernelObject>> stubObjects(std::span<const StubCall> calls, const ProgramTarget& host);

}  // namespace hilo
