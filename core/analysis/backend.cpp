#include "core/analysis/backend.h"

#include <algorithm>

namespace hilo {
namespace {

// What only XLA's GPU backend writes.
constexpr std::string_view kGpuConfigs[] = {"fusion_backend_config", "collective_backend_config",
                                            "gemm_backend_config", "wait_on_operation_queues"};

bool isForGpu(const Instruction* instruction) {
  const std::string_view config = instruction->get<Attr::BackendConfig>();
  return std::ranges::any_of(kGpuConfigs, [&](std::string_view word) { return config.contains(word); });
}

}  // namespace

Backend backendOf(const Module& module) {
  const auto hasGpuConfig = [](const Computation* computation) {
    return std::ranges::any_of(computation->instructions(), isForGpu);
  };
  return std::ranges::any_of(module.computations(), hasGpuConfig) ? Backend::Gpu : Backend::Cpu;
}

}  // namespace hilo
