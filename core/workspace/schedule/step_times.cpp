#include "core/workspace/schedule/step_times.h"

#include "core/workspace/schedule/schedule.h"

namespace hilo {

Result<std::vector<double>> stepTimes(const Module& module, std::span<const InstructionId> sequence,
                                      const std::string& device) {
  TRY(const CostReport report, costOfModule(module, device, "", ""));
  std::vector<double> byId(module.idLimit());
  for (const CostRow& row : report.rows) byId[row.instruction->id().value] = row.ns;
  absl::flat_hash_set<const Computation*> inSequence;
  for (const InstructionId id : sequence) inSequence.insert(&module.instruction(id)->parent());
  std::vector<double> times;
  for (const InstructionId id : sequence) {
    const auto called = module.instruction(id)->calledComputations();
    const bool runsSteps =
        std::ranges::any_of(called, [&](const Computation* each) { return inSequence.contains(each); });
    times.push_back(runsSteps ? 0 : byId[id.value]);
  }
  return times;
}

}  // namespace hilo
