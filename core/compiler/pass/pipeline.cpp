#include "core/compiler/pass/pipeline.h"

#include <algorithm>

namespace hilo {

std::span<const LoweringStep> loweringSteps() {
  static constexpr LoweringStep kSteps[] = {
      {"buffers", "Makes thunks of instructions, and gives every value its place in memory"},
      {"emit", "Makes machine code of the kernels, equal ones once"}};
  return kSteps;
}

std::string_view Pipeline::phaseOf(size_t pass) const {
  const auto found = std::ranges::find_if(phases, [&](const PipelinePhase& phase) {
    return pass >= phase.first && pass < phase.first + phase.count;
  });
  return found == phases.end() ? "" : found->name;
}

}  // namespace hilo
