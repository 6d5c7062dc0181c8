#include "core/compiler/passes/schedule/annotated_instructions.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

using Members = AnnotatedInstructions::Members;

// Past a barrier, to the element that `from` comes out as; `user` itself when there is none.
Instruction* pastBarrier(Instruction* user, const Instruction* from) {
  if (user->opcode() != Opcode::Tuple || user->users().empty()) return user;
  const Instruction* carrier = nullptr;
  if (user->users().size() > 1) {
    carrier = user;
  } else if (user->users()[0]->opcode() == Opcode::OptBarrier) {
    carrier = user->users()[0];
  }
  if (carrier == nullptr) return user;
  const auto operands = user->operands();
  const auto index = std::ranges::find(operands, from) - operands.begin();
  for (Instruction* element : carrier->users()) {
    if (element->opcode() == Opcode::GetTupleElement && element->tupleIndex() == index) return element;
  }
  return user;
}

// Members, and all that comes after them.
absl::flat_hash_set<const Instruction*> reachedFrom(const AnnotatedInstructions& annotated,
                                                    const Members& members) {
  absl::flat_hash_set<const Instruction*> reached;
  std::vector<const Instruction*> stack(members.begin(), members.end());
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    for (const Instruction* next : annotated.followers(at)) {
      if (reached.insert(next).second) stack.push_back(next);
    }
  }
  return reached;
}

}  // namespace

Result<AnnotatedInstructions> AnnotatedInstructions::of(
    const Module& module, const std::function<bool(const Computation&)>& isFused) {
  AnnotatedInstructions result;
  for (Computation* computation : module.computations()) {
    if (isFused(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      TRY(const auto annotation, schedulingAnnotation(*i));
      for (const Instruction* before : i->get<Attr::ControlPredecessors>())
        result.controlSuccessors[before].push_back(i);
      if (!annotation) continue;
      result.annotationOf[i] = *annotation;
      result.groups[*annotation][computation].push_back(i);
    }
  }
  return result;
}

Members AnnotatedInstructions::followers(const Instruction* i) const {
  Members all(i->users().begin(), i->users().end());
  if (const auto found = controlSuccessors.find(i); found != controlSuccessors.end())
    all.insert(all.end(), found->second.begin(), found->second.end());
  return all;
}

bool AnnotatedInstructions::annotate(Instruction* instruction, const SchedulingAnnotation& annotation) {
  if (!annotationOf.emplace(instruction, annotation).second) return false;
  setSchedulingAnnotation(*instruction, annotation);
  groups[annotation][&instruction->parent()].push_back(instruction);
  return true;
}

void AnnotatedInstructions::forget(const Instruction* instruction) {
  const auto found = annotationOf.find(instruction);
  if (found == annotationOf.end()) return;
  std::erase(groups[found->second][&instruction->parent()], instruction);
  annotationOf.erase(found);
}

std::optional<Members> findGap(const AnnotatedInstructions& annotated, const SchedulingAnnotation& annotation,
                               const Members& members, bool skipOptBarriers) {
  absl::flat_hash_map<const Instruction*, Instruction*> cameFrom;
  Members stack;
  for (Instruction* member : members) {
    for (Instruction* user : annotated.followers(member)) {
      if (annotated.isIn(user, annotation) || !cameFrom.emplace(user, member).second) continue;
      stack.push_back(user);
    }
  }
  while (!stack.empty()) {
    Instruction* at = stack.back();
    stack.pop_back();
    for (Instruction* user : annotated.followers(at)) {
      if (skipOptBarriers && user->opcode() == Opcode::OptBarrier) continue;
      if (skipOptBarriers) user = pastBarrier(user, at);
      if (annotated.isIn(user, annotation)) {
        Members path = {user, at};
        for (auto before = cameFrom.find(at); before != cameFrom.end(); before = cameFrom.find(path.back()))
          path.push_back(before->second);
        return path;
      }
      if (cameFrom.emplace(user, at).second) stack.push_back(user);
    }
  }
  return std::nullopt;
}

Members between(const AnnotatedInstructions& annotated, const Computation& computation,
                const Members& members) {
  const auto after = reachedFrom(annotated, members);
  absl::flat_hash_set<const Instruction*> before;
  std::vector<const Instruction*> stack(members.begin(), members.end());
  const auto visit = [&](const Instruction* i) {
    if (before.insert(i).second) stack.push_back(i);
  };
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    for (const Instruction* operand : at->operands()) visit(operand);
    for (const Instruction* predecessor : at->get<Attr::ControlPredecessors>()) visit(predecessor);
  }
  Members found;
  for (Instruction* i : computation.instructions()) {
    if (after.contains(i) && before.contains(i) && std::ranges::find(members, i) == members.end())
      found.push_back(i);
  }
  return found;
}

Status checkGroupCycles(const AnnotatedInstructions& annotated,
                        const std::function<bool(const Instruction&)>& counts) {
  // Which groups of a computation come after which.
  std::map<std::pair<const Computation*, SchedulingAnnotation>, std::vector<SchedulingAnnotation>> after;
  for (const auto& [annotation, computations] : annotated.groups) {
    for (const auto& [computation, all] : computations) {
      Members members;
      std::ranges::copy_if(all, std::back_inserter(members),
                           [&](const Instruction* i) { return counts(*i); });
      const auto reached = reachedFrom(annotated, members);
      for (const auto& [other, otherComputations] : annotated.groups) {
        const auto found = otherComputations.find(computation);
        if (other == annotation || found == otherComputations.end()) continue;
        if (std::ranges::any_of(found->second,
                                [&](const Instruction* i) { return reached.contains(i) && counts(*i); }))
          after[{computation, annotation}].push_back(other);
      }
    }
  }
  for (const auto& [group, others] : after) {
    for (const SchedulingAnnotation& other : others) {
      const auto back = after.find({group.first, other});
      if (back == after.end() || std::ranges::find(back->second, group.second) == back->second.end())
        continue;
      const auto& members = annotated.groups.at(group.second);
      const Instruction* at = nullptr;
      for (const auto& [computation, list] : members) {
        if (computation == group.first) at = list[0];
      }
      return refuseGroup(
          "scheduling-group-cycle", *at,
          fmt::format("Detected scheduling group annotation cycle between scheduling_group_id: {} "
                      "and scheduling_group_id: {}",
                      toString(group.second), toString(other)));
    }
  }
  return {};
}

std::unexpected<Diagnostic> refuseGroup(std::string kind, const Instruction& at, std::string message,
                                        std::vector<std::string> notes) {
  return fail(std::move(kind), std::move(message),
              {.computation = std::string(at.parent().name()), .instruction = std::string(at.name())},
              std::move(notes));
}

}  // namespace hilo
