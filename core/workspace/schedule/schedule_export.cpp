#include "core/workspace/schedule/schedule_export.h"

#include "core/analysis/async_op.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "core/workspace/schedule/schedule_edits.h"
#include "core/workspace/schedule/schedule_facts.h"

namespace hilo {
namespace {

constexpr std::pair<std::string_view, ScheduleExport> kForms[] = {
    {"module", ScheduleExport::Module},
    {"control", ScheduleExport::Control},
    {"annotations", ScheduleExport::Annotations}};

const Instruction* neighbour(const Instruction& instruction, bool before) {
  const Instruction* at = before ? instruction.previous() : instruction.next();
  while (at != nullptr && isNopForScheduling(*at)) at = before ? at->previous() : at->next();
  return at;
}

// True when it was not there yet.
bool addControl(Module& module, const Instruction* before, const Instruction* after) {
  if (before == nullptr || after == nullptr) return false;
  Instruction* from = module.instruction(before->id());
  Instruction* to = module.instruction(after->id());
  const auto now = to->get<Attr::ControlPredecessors>();
  const bool uses = std::ranges::find(to->operands(), from) != to->operands().end();
  if (uses || std::ranges::find(now, from) != now.end()) return false;
  std::vector<Instruction*> predecessors(now.begin(), now.end());
  predecessors.push_back(from);
  to->set<Attr::ControlPredecessors>(predecessors);
  return true;
}

ExportedSchedule withControl(const ScheduleStudy& study, const ScheduleOutcome& outcome) {
  ExportedSchedule result;
  std::shared_ptr<Module> module = study.base().clone();
  absl::flat_hash_set<std::string> names;
  for (const SchedulePin& pin : outcome.scenario.pins) names.insert(pin.instruction);
  for (const ScheduleMove& move : outcome.scenario.moves) names.insert(move.instruction);
  for (const std::string& name : names) {
    const Instruction* instruction = outcome.module->findInstruction(name);
    if (instruction == nullptr) continue;
    result.added += addControl(*module, neighbour(*instruction, true), instruction);
    result.added += addControl(*module, instruction, neighbour(*instruction, false));
  }
  for (Computation* computation : module->computations()) keepDependencies(*computation);
  if (names.empty()) result.notes.push_back("nothing is pinned or moved: there is nothing to depend on");
  // The order that came may not keep the new dependencies: it is for the compiler to make one.
  module->set<Attr::IsScheduled>(false);
  result.module = std::move(module);
  return result;
}

ExportedSchedule withAnnotations(const ScheduleStudy& study, const ScheduleOutcome& outcome) {
  ExportedSchedule result;
  std::shared_ptr<Module> module = study.base().clone();
  int64_t group = nextSchedulingGroup(*module);
  size_t shared = 0, grouped = 0;
  for (const ComputationTimeline& played : outcome.timeline->computations) {
    std::vector<const Instruction*> members;
    absl::flat_hash_set<const Instruction*> open;
    const auto close = [&] {
      // A start and its done alone have nothing to be scheduled with.
      const bool taken = std::ranges::any_of(members, [](const Instruction* member) {
        return frontendAttribute(*member, kSchedulingGroupAttribute).has_value();
      });
      grouped += taken;
      if (members.size() > 2 && !taken) {
        for (const Instruction* member : members)
          setSchedulingAnnotation(*module->instruction(member->id()), {.group = group, .iteration = {}});
        ++group;
        ++result.added;
      }
      members.clear();
    };
    for (const Instruction* instruction : played.computation->instructions()) {
      const CanonicalAsyncOp op = canonicalAsyncOp(*instruction, true);
      const bool starts = op.role == AsyncRole::Start && isCollectiveCommunication(op.inner) &&
                          doneOfStart(*instruction) != nullptr;
      if (starts) {
        shared += !open.empty();
        open.insert(instruction);
      }
      if (!open.empty()) members.push_back(instruction);
      if (op.role != AsyncRole::Done) continue;
      open.erase(startOfDone(*instruction));
      if (open.empty()) close();
    }
  }
  if (shared > 0)
    result.notes.push_back(fmt::format("{} collectives overlap an earlier one and share its group", shared));
  if (grouped > 0)
    result.notes.push_back(
        fmt::format("{} stretches hold instructions that have a group already: left as they are", grouped));
  result.module = std::move(module);
  return result;
}

}  // namespace

Result<ScheduleExport> scheduleExportFromName(std::string_view name) {
  for (const auto& [known, form] : kForms) {
    if (name == known) return form;
  }
  return fail("unknown-export", fmt::format("no form of export is called '{}'", name), {},
              {"there are: module, control, annotations"});
}

Result<ExportedSchedule> exportSchedule(const ScheduleStudy& study, const ScheduleOutcome& outcome,
                                        ScheduleExport form) {
  if (!outcome.faults.empty())
    return fail("bad-schedule", outcome.faults[0].message, {}, {"a wrong order is not written"});
  switch (form) {
    case ScheduleExport::Module:
      return ExportedSchedule{.module = outcome.module};
    case ScheduleExport::Control:
      return withControl(study, outcome);
    case ScheduleExport::Annotations:
      return withAnnotations(study, outcome);
  }
  return fail("unknown-export", "no such form");
}

}  // namespace hilo
