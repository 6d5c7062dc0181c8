#include "core/analysis/llvm_kernel_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hilo {
namespace {

constexpr const char* kField = "llvm_kernel_options";

using Json = nlohmann::ordered_json;

// Protobuf's own reader takes the name in either spelling.
bool isSpelt(std::string_view name, std::string_view option) {
  std::string camel;
  for (size_t i = 0; i < option.size(); ++i) {
    if (option[i] == '_') continue;
    const bool isRaised = i > 0 && option[i - 1] == '_';
    camel += isRaised ? static_cast<char>(option[i] - 'a' + 'A') : option[i];
  }
  return name == option || name == camel;
}

std::unexpected<Diagnostic> malformed(const Instruction& instruction, std::string_view why) {
  return fail(
      "malformed-kernel-options", fmt::format("{} of a backend_config: {}", kField, why),
      {.computation = std::string(instruction.parent().name()),
       .instruction = std::string(instruction.name())},
      {fmt::format("options are {}, each true or false",
                   fmt::join(kLlvmKernelOptions | std::views::transform(&LlvmKernelOption::name), ", "))});
}

}  // namespace

Result<std::optional<LlvmKernelOptions>> llvmKernelOptions(const Instruction& instruction) {
  const std::string_view config = instruction.get<Attr::BackendConfig>();
  if (config.find(kField) == std::string_view::npos) return std::nullopt;
  const Json json = Json::parse(config, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains(kField)) return std::nullopt;
  const Json& given = json[kField];
  if (!given.is_object()) return malformed(instruction, "it is no object");
  LlvmKernelOptions options{.slpVectorizerDisabled = false};
  for (const auto& [name, value] : given.items()) {
    const auto option = std::ranges::find_if(
        kLlvmKernelOptions, [&](const LlvmKernelOption& each) { return isSpelt(name, each.name); });
    if (option == kLlvmKernelOptions.end()) return malformed(instruction, name + " is no option");
    if (!value.is_boolean()) return malformed(instruction, name + " is neither true nor false");
    options.*option->value = value.get<bool>();
  }
  return options;
}

Result<std::string> withLlvmKernelOptions(std::string_view backendConfig,
                                          const std::optional<LlvmKernelOptions>& options) {
  Json json = Json::object();
  if (!backendConfig.empty()) json = Json::parse(backendConfig, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return fail("malformed-backend-config", "the backend_config is no JSON object, which options could join");
  json.erase(kField);
  if (options) {
    Json& field = json[kField] = Json::object();
    for (const LlvmKernelOption& option : kLlvmKernelOptions) {
      if ((*options).*option.value) field[std::string(option.name)] = true;
    }
  }
  return json.empty() ? std::string() : json.dump();
}

}  // namespace hilo
