// Kernels for this machine that hand what they are called with to a function, for a program whose kernels run
// elsewhere and all else in the host's executor. They hold addresses of this process.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct StubCall {
  void (*function)(const void* state, void* const* buffers, int64_t begin, int64_t end);
  const void* state;
};

// An object a call, each with the function KernelBuilder::kSymbol, for this machine. Kind "codegen-failed".
Result<std::vector<KernelObject>> stubObjects(std::span<const StubCall> calls, const ProgramTarget& host);

}  // namespace hilo
