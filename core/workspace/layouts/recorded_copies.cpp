#include "core/workspace/layouts/recorded_copies.h"

#include <absl/container/flat_hash_map.h>

namespace hilo {
namespace {

constexpr int kMostSteps = 64;

// By the id of the copy.
absl::flat_hash_map<InstructionId, const Remark*> copiesOf(const PassSeries& series) {
  absl::flat_hash_map<InstructionId, const Remark*> copies;
  for (const SeriesStep& step : series.steps) {
    if (step.name != "gpu-layout-assignment") continue;
    const auto module = step.moduleIfLoaded();
    for (const Remark& remark : step.remarks) {
      const auto name = std::ranges::find(remark.facts, "copy", &std::pair<std::string, std::string>::first);
      if (remark.kind != "copied" || name == remark.facts.end() || module == nullptr) continue;
      if (const Instruction* copy = module->findInstruction(name->second)) copies[copy->id()] = &remark;
    }
  }
  return copies;
}

}  // namespace

void addRecorded(LayoutStudy& study) {
  const auto copies = copiesOf(study.series);
  if (copies.empty()) return;
  for (LayoutRow& row : study.rows) {
    InstructionId at = row.move.instruction;
    for (int step = 0; step < kMostSteps && at.valid(); ++step) {
      if (const auto found = copies.find(at); found != copies.end()) {
        row.recorded = found->second->message;
        break;
      }
      const Provenance* made = study.module->provenance(at);
      at = made == nullptr || made->from.empty() || made->from[0] == at ? InstructionId() : made->from[0];
    }
  }
}

}  // namespace hilo
