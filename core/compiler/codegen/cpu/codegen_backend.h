// What can be chosen about how an instruction is compiled, for a tuner to try: in the manner of
// XLA's backends/autotuner/codegen_backend.h. A backend is a file (llvm_kernel_backend.cpp) and a
// line in codegen_backends.def.
//
// An instruction a backend has nothing to say of has no configs, which is no error. Configs are data;
// applied to the instruction they are what code generation reads there, so that compiling one is
// compiling the module.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/analysis/llvm_kernel_options.h"
#include "core/compiler/codegen/cpu/choices/dot_method.h"

namespace hilo {

// A kind a backend; whoever looks into one visits them all. nullopt: nothing is said, and
// code generation chooses.
using BackendConfig = std::variant<std::optional<LlvmKernelOptions>, std::optional<DotMethod>>;
// "default", "library", "disable_loop_unrolling, optimize_for_size"
std::string toString(const BackendConfig& config);

struct CodegenBackend {
  std::string_view name;  // "llvm-kernel"
  // All that can be said; empty: nothing, and there is no more to this instruction than the default.
  std::vector<BackendConfig> (*supportedConfigs)(const Instruction& instruction);
  BackendConfig defaultConfig;
  // Writes the config to the instruction, in place of what was said there. Error kinds: "wrong-config" for
  // one of another backend, and what keeps an instruction from being written to.
  Status (*applyConfig)(Instruction& instruction, const BackendConfig& config);
};

// In the order in which they are tuned: what is chosen first decides what there is left to choose.
std::span<const CodegenBackend> codegenBackends();

}  // namespace hilo
