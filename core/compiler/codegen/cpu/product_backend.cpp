// Which way a product or a convolution is done.
#include "core/compiler/codegen/cpu/codegen_backend.h"
#include "core/compiler/codegen/cpu/product_methods.h"

namespace hilo {
namespace {

std::vector<BackendConfig> supportedConfigs(const Instruction& instruction) {
  std::vector<BackendConfig> configs;
  for (const ProductMethod method : productMethods(instruction)) configs.emplace_back(std::optional(method));
  return configs;
}

Status applyConfig(Instruction& instruction, const BackendConfig& config) {
  const auto* method = std::get_if<std::optional<ProductMethod>>(&config);
  if (method == nullptr) return fail("wrong-config", toString(config) + " is no way of doing a product");
  stateProductMethod(instruction, *method);
  return {};
}

}  // namespace

CodegenBackend productBackend() {
  return {"product", supportedConfigs, std::optional<ProductMethod>(), applyConfig};
}

}  // namespace hilo
