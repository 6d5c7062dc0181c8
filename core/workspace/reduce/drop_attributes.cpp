#include <algorithm>

#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// What an instruction means the same without, or that at least still means something.
constexpr Attr kOfInstructions[] = {Attr::Metadata,
                                    Attr::Sharding,
                                    Attr::FrontendAttributes,
                                    Attr::BackendConfig,
                                    Attr::Statistics,
                                    Attr::Origin,
                                    Attr::ResultAccuracy,
                                    Attr::OperandPrecision,
                                    Attr::ControlPredecessors,
                                    Attr::OutputToOperandAliasing};
// What the header must keep.
constexpr int64_t kStackFrames = -1;
constexpr Attr kOfHeaders[] = {Attr::NumPartitions, Attr::ReplicaCount};

}  // namespace

// An invalid instruction stands for the header, kStackFrames for its tables.
std::vector<MoveSite> dropAttributesSites(const Module& module) {
  std::vector<MoveSite> sites;
  if (!module.stackFrames().empty()) sites.push_back({InstructionId(), kStackFrames});
  for (const Attribute& attribute : module.attributes().all()) {
    if (std::ranges::find(kOfHeaders, attribute.key) == std::end(kOfHeaders))
      sites.push_back({InstructionId(), static_cast<int64_t>(attribute.key)});
  }
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Attr key : kOfInstructions) {
        if (instruction->has(key)) sites.push_back({instruction->id(), static_cast<int64_t>(key)});
      }
    }
  }
  return sites;
}

bool dropAttributes(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    const auto key = static_cast<Attr>(site.part);
    if (!site.instruction.valid() && site.part == kStackFrames) {
      draft.module->stackFrames() = {};
      draft.module->textStyle().stackFrameTables = false;
      changed = true;
    } else if (!site.instruction.valid()) {
      draft.module->attributes().erase(key);
      changed = true;
    } else if (Instruction* instruction = draft.module->instruction(site.instruction)) {
      instruction->erase(key);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
