// How LLVM is to compile the kernel of one instruction: XLA's LlvmKernelOptions, which stand in the
// instruction's backend_config as in xla/service/cpu/backend_config.proto:
//
//   backend_config={"llvm_kernel_options":{"disable_loop_unrolling":true}}
//
// An instruction that calls a computation says it for all it calls, which may say otherwise.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/computation.h"

namespace hilo {

// As a compiled kernel is where nothing is said. Where options are given, a field that is left out is false.
struct LlvmKernelOptions {
  bool slpVectorizerDisabled = true;  // no vectors of straight code
  bool disableLoopUnrolling = false;
  bool optimizeForSize = false;  // no vectors of loops either
  // Taken and kept: scalar functions are the same on all processors as it is.
  bool disablePlatformDependentMath = false;

  friend bool operator==(const LlvmKernelOptions&, const LlvmKernelOptions&) = default;
};

struct LlvmKernelOption {
  using Field = bool LlvmKernelOptions::*;
  std::string_view name;  // the proto's: "disable_loop_unrolling"
  Field value;
};
// In the proto's order.
inline constexpr std::array<LlvmKernelOption, 4> kLlvmKernelOptions = {{
    {"slp_vectorizer_disabled", &LlvmKernelOptions::slpVectorizerDisabled},
    {"disable_loop_unrolling", &LlvmKernelOptions::disableLoopUnrolling},
    {"optimize_for_size", &LlvmKernelOptions::optimizeForSize},
    {"disable_platform_dependent_math", &LlvmKernelOptions::disablePlatformDependentMath},
}};

// nullopt: the instruction says nothing. Error kind "malformed-kernel-options": a name there is no option of,
// or a value that is neither true nor false.
Result<std::optional<LlvmKernelOptions>> llvmKernelOptions(const Instruction& instruction);

// A backend_config with the options in it, in the place of those it had; what else it holds is kept. nullopt
// takes them out. Error kind "malformed-backend-config": it is text but no JSON object.
Result<std::string> withLlvmKernelOptions(std::string_view backendConfig,
                                          const std::optional<LlvmKernelOptions>& options);

}  // namespace hilo
