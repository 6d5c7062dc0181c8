#include "core/workspace/schedule/kernel_times.h"

#include <absl/container/flat_hash_map.h>

#include "core/analysis/call_graph.h"
#include "core/workspace/schedule/schedule.h"

namespace hilo {

Result<std::vector<TimedKernel>> kernelTimes(const Module& module, const std::string& device) {
  TRY(const CostReport costs, costOfModule(module, device, {}, {}));
  TRY(const CallGraph graph, CallGraph::build(module));
  absl::flat_hash_map<const Instruction*, double> times;
  for (const CostRow& row : costs.rows) times.emplace(row.instruction, row.totalNs);
  std::vector<TimedKernel> kernels;
  for (const Computation* computation : module.computations()) {
    if (!graph.runsInstructions(*computation)) continue;
    for (const Instruction* instruction : computation->instructions()) {
      if (!isKernel(*instruction)) continue;
      const auto found = times.find(instruction);
      kernels.push_back({instruction, found == times.end() ? 0 : found->second});
    }
  }
  return kernels;
}

}  // namespace hilo
