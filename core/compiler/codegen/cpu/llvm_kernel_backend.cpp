// How LLVM compiles a kernel: all of vectors of straight code, unrolling and size, as XLA's backend of the
// name tries them.
#include "core/compiler/codegen/cpu/codegen_backend.h"

namespace hilo {
namespace {

// What is another name for its operand, or is done by others: devices, the host, a plug-in, a
// computation it calls.
bool isWorkedOut(const Instruction& instruction) {
  switch (opcodeClass(instruction.opcode())) {
    case OpcodeClass::Async:
    case OpcodeClass::Collective:
    case OpcodeClass::Communication:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::CustomCall:
    case OpcodeClass::Ordering:
    case OpcodeClass::Tuple:
      return false;
    default:
      break;
  }
  switch (instruction.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Constant:
    case Opcode::Parameter:
      return false;
    default:
      return true;
  }
}

std::vector<BackendConfig> supportedConfigs(const Instruction& instruction) {
  std::vector<BackendConfig> configs;
  if (!isWorkedOut(instruction)) return configs;
  for (const bool rolled : {false, true}) {
    for (const bool straight : {false, true}) {
      for (const bool small : {false, true}) {
        configs.emplace_back(LlvmKernelOptions{
            .slpVectorizerDisabled = straight, .disableLoopUnrolling = rolled, .optimizeForSize = small});
      }
    }
  }
  return configs;
}

Status applyConfig(Instruction& instruction, const BackendConfig& config) {
  const auto* options = std::get_if<std::optional<LlvmKernelOptions>>(&config);
  if (options == nullptr) return fail("wrong-config", toString(config) + " says nothing of a kernel");
  TRY(const std::string text, withLlvmKernelOptions(instruction.get<Attr::BackendConfig>(), *options));
  if (text.empty()) {
    instruction.erase(Attr::BackendConfig);
  } else {
    instruction.set<Attr::BackendConfig>(text);
  }
  return {};
}

}  // namespace

CodegenBackend llvmKernelBackend() {
  return {"llvm-kernel", supportedConfigs, std::optional<LlvmKernelOptions>(), applyConfig};
}

}  // namespace hilo
