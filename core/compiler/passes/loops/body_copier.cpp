#include "core/compiler/passes/loops/body_copier.h"

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/schedule/scheduling_annotation.h"

namespace hilo {

CopyNumbers copyNumbersOf(const Module& module, bool uniqueChannels) {
  return {.nextChannel = nextChannel(module),
          .nextGroup = nextSchedulingGroup(module),
          .uniqueChannels = uniqueChannels};
}

Result<Instruction*> BodyCopier::copy(const Instruction& original) {
  std::vector<Instruction*> operands, before;
  for (const Instruction* operand : original.operands()) operands.push_back(at(operand));
  Instruction* made = target_.createLike(original, operands);
  for (const Instruction* predecessor : original.get<Attr::ControlPredecessors>()) {
    Instruction* standIn = find(predecessor);
    if (standIn != nullptr && &standIn->parent() == &target_) before.push_back(standIn);
  }
  if (!before.empty()) made->set<Attr::ControlPredecessors>(std::span<Instruction* const>(before));
  TRY_STATUS(giveOwnComputations(*made));
  renumberChannel(*made);
  TRY_STATUS(regroup(*made));
  map(&original, made);
  return made;
}

void BodyCopier::renumberChannel(Instruction& copy) const {
  const bool isTransfer = copy.opcode() == Opcode::Send || copy.opcode() == Opcode::Recv ||
                          copy.opcode() == Opcode::SendDone || copy.opcode() == Opcode::RecvDone;
  if (isTransfer && !copy.get<Attr::IsHostTransfer>().value_or(false)) return;
  if (copy.opcode() == Opcode::SendDone || copy.opcode() == Opcode::RecvDone) {
    if (const auto channel = copy.operand(0)->get<Attr::ChannelId>()) copy.set<Attr::ChannelId>(*channel);
    return;
  }
  if (numbers_.uniqueChannels && copy.has(Attr::ChannelId)) copy.set<Attr::ChannelId>(numbers_.nextChannel++);
}

Status BodyCopier::regroup(Instruction& copy) {
  if (groups_ == Groups::Keep) return {};
  TRY(auto annotation, schedulingAnnotation(copy));
  if (!annotation) return {};
  if (groups_ == Groups::Remove || (dropIterations_ && annotation->iteration)) {
    removeSchedulingAnnotation(copy);
    return {};
  }
  if (!annotation->group) return {};
  const auto [group, isNew] = newGroups_.try_emplace(*annotation->group, numbers_.nextGroup);
  if (isNew) ++numbers_.nextGroup;
  annotation = SchedulingAnnotation{.group = group->second, .iteration = {}};
  setSchedulingAnnotation(copy, *annotation);
  return {};
}

}  // namespace hilo
