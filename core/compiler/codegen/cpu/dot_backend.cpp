// Which way a dot or a convolution is done.
#include "core/compiler/codegen/cpu/codegen_backend.h"
#include "core/compiler/codegen/cpu/dot_methods.h"

namespace hilo {
namespace {

std::vector<BackendConfig> supportedConfigs(const Instruction& instruction) {
  std::vector<BackendConfig> configs;
  for (const DotMethod method : dotMethods(instruction)) configs.emplace_back(std::optional(method));
  return configs;
}

Status applyConfig(Instruction& instruction, const BackendConfig& config) {
  const auto* method = std::get_if<std::optional<DotMethod>>(&config);
  if (method == nullptr) return fail("wrong-config", toString(config) + " is no way of doing a product");
  stateDotMethod(instruction, *method);
  return {};
}

}  // namespace

CodegenBackend dotBackend() { return {"product", supportedConfigs, std::optional<DotMethod>(), applyConfig}; }

}  // namespace hilo
