// Configs as text.
#include <fmt/format.h>

#include "core/compiler/codegen/cpu/codegen_backend.h"

namespace hilo {
namespace {

std::string nameOf(const LlvmKernelOptions& options) {
  std::vector<std::string_view> set;
  for (const LlvmKernelOption& option : kLlvmKernelOptions) {
    if (options.*option.value) set.push_back(option.name);
  }
  return set.empty() ? "none" : fmt::format("{}", fmt::join(set, ", "));
}

std::string nameOf(DotMethod method) { return std::string(dotMethodName(method)); }

}  // namespace

std::string toString(const BackendConfig& config) {
  return std::visit([](const auto& said) { return said ? nameOf(*said) : "default"; }, config);
}

}  // namespace hilo
