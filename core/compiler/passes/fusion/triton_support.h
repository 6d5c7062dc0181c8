// Which computations and instructions Triton makes kernels of. As XLA's
// backends/gpu/codegen/triton/support.cc for CUDA.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

// Why not, naming the instruction; nullopt where it does. `capability`: 90 for 9.0. Dots are not looked at.
std::optional<std::string> tritonRefusal(const Computation& computation, int64_t capability);
std::optional<std::string> tritonRefusal(const Instruction& instruction, int64_t capability);

}  // namespace hilo
