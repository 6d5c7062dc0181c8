#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "core/analysis/lint/rules.h"
#include "core/hlo/ir/op_facts.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// What the devices of one channel must agree on.
std::string operationText(const Instruction& collective) {
  std::string text = fmt::format("{} {}", opcodeName(asyncFacts(collective.opcode()).whole),
                                 toString(collective.operand(0)->shape()));
  if (const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>()) {
    text += " ";
    appendReplicaGroups(text, *groups);
  }
  return text;
}

}  // namespace

void lintChannels(const Module& module, LintFindings& found) {
  absl::flat_hash_map<int64_t, const Instruction*> firstOf;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!startsCollective(instruction->opcode()) || instruction->operandCount() == 0) continue;
      const auto channel = instruction->get<Attr::ChannelId>();
      if (!channel || *channel <= 0) continue;
      const Instruction* first = firstOf.try_emplace(*channel, instruction).first->second;
      if (first == instruction || operationText(*first) == operationText(*instruction)) continue;
      found.push_back(
          {.instruction = instruction,
           .message = fmt::format("{} has channel_id {} of {}, which is another operation: {} and {}",
                                  instruction->name(), *channel, first->name(), operationText(*instruction),
                                  operationText(*first)),
           .notes = {"give each collective a channel_id of its own: devices meet by it"}});
    }
  }
}

}  // namespace hilo
