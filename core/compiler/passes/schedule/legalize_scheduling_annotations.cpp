#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"

#include <map>

#include "core/analysis/dataflow/async_chain.h"
#include "core/analysis/schedule/async_op.h"
#include "core/compiler/schedule/scheduling_annotation.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> refuse(std::string kind, const Instruction& at, std::string message,
                                   std::vector<std::string> notes = {}) {
  return fail(std::move(kind), std::move(message),
              {.computation = std::string(at.parent().name()), .instruction = std::string(at.name())},
              std::move(notes));
}

bool isSplitCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::AllGatherStart:
    case Opcode::AllGatherDone:
    case Opcode::AllReduceStart:
    case Opcode::AllReduceDone:
    case Opcode::CollectivePermuteStart:
    case Opcode::CollectivePermuteDone:
    case Opcode::AsyncStart:
    case Opcode::AsyncDone:
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Recv:
    case Opcode::RecvDone:
      return true;
    default:
      return false;
  }
}

bool isWholeCollective(Opcode opcode) {
  return opcode == Opcode::AllGather || opcode == Opcode::AllReduce || opcode == Opcode::ReduceScatter ||
         opcode == Opcode::RaggedAllToAll || opcode == Opcode::CollectivePermute;
}

// An asynchronous call that only copies.
bool onlyFormats(const Instruction& link, int depth = 0) {
  const Instruction* root = asyncWrappedInstruction(link);
  if (root == nullptr || depth > 16) return false;
  const Computation* computation = &root->parent();
  const auto called = root->calledComputations();
  if (!called.empty() && called[0] != nullptr) computation = called[0];
  return std::ranges::all_of(computation->instructions(), [&](const Instruction* i) {
    if (i->opcode() == Opcode::AsyncStart || i->opcode() == Opcode::AsyncDone)
      return onlyFormats(*i, depth + 1);
    return i->opcode() == Opcode::Copy || i->opcode() == Opcode::Parameter;
  });
}

bool isSupportedAsync(const Instruction& i, bool starts, bool wholeToo) {
  if (i.opcode() == Opcode::AsyncStart && !starts) return false;
  if (wholeToo && isWholeCollective(i.opcode())) return true;
  if (!isSplitCollective(i.opcode())) return false;
  return !((i.opcode() == Opcode::AsyncStart || i.opcode() == Opcode::AsyncDone) && onlyFormats(i));
}

class Legalizer {
 public:
  Legalizer(Module& module, PassContext& context, const SchedulingAnnotationRules& rules)
      : module_(module), context_(context), rules_(rules) {
    for (Computation* computation : module.computations()) {
      for (Instruction* instruction : computation->instructions()) {
        if (instruction->opcode() != Opcode::Fusion) continue;
        if (const Computation* fused = instruction->get<Attr::Calls>()) fusionOf_[fused] = instruction;
      }
    }
  }

  Result<bool> run() {
    filter();
    TRY_STATUS(haulFromFusions());
    TRY_STATUS(collect());
    if (groups_.empty()) return changed_;
    if (rules_.checkStartsAndDones) TRY_STATUS(checkDones());
    removeTrivialGroups();
    fillChains();
    TRY_STATUS(checkGaps());
    return changed_;
  }

 private:
  using Members = std::vector<Instruction*>;

  bool keepsSync(const Instruction& i) const { return !rules_.keepSync || rules_.keepSync(i); }
  bool isFused(const Computation& computation) const { return fusionOf_.contains(&computation); }

  void drop(Instruction& instruction, std::string why) {
    if (!removeSchedulingAnnotation(instruction)) return;
    context_.remark(instruction, "dropped", std::move(why));
    changed_ = true;
  }

  void filter() {
    for (Computation* computation : module_.computations()) {
      if (isFused(*computation)) continue;
      for (Instruction* i : computation->instructions()) {
        const auto text = frontendAttribute(*i, kSchedulingGroupAttribute);
        if (!text) continue;
        if (*text == kNoSchedulingGroup || !(isSupportedAsync(*i, rules_.keepStarts, false) || keepsSync(*i)))
          drop(*i, "its scheduling group was dropped: it is not work that may be overlapped");
      }
    }
  }

  Status haulFromFusions() {
    for (Computation* computation : module_.computations()) {
      const auto fusion = fusionOf_.find(computation);
      if (fusion == fusionOf_.end() || !keepsSync(*fusion->second) ||
          frontendAttribute(*fusion->second, kSchedulingGroupAttribute))
        continue;
      std::optional<SchedulingAnnotation> seen;
      for (const Instruction* i : computation->instructions()) {
        TRY(const auto annotation, schedulingAnnotation(*i));
        if (!annotation) continue;
        if (seen && *seen != *annotation) {
          return refuse(
              "several-scheduling-groups", *fusion->second,
              fmt::format("Found a fusion with multiple annotations in the fused computation. fusion: "
                          "{}, annotations: {} and {}",
                          fusion->second->name(), toString(*seen), toString(*annotation)));
        }
        seen = annotation;
      }
      if (!seen) continue;
      setSchedulingAnnotation(*fusion->second, *seen);
      changed_ = true;
    }
    return {};
  }

  Status collect() {
    for (Computation* computation : module_.computations()) {
      if (isFused(*computation)) continue;
      for (Instruction* i : computation->instructions()) {
        TRY(const auto annotation, schedulingAnnotation(*i));
        for (const Instruction* before : i->get<Attr::ControlPredecessors>())
          controlSuccessors_[before].push_back(i);
        if (!annotation) continue;
        annotationOf_[i] = *annotation;
        groups_[*annotation][computation].push_back(i);
      }
    }
    return {};
  }

  bool isIn(const Instruction* i, const SchedulingAnnotation& annotation) const {
    const auto found = annotationOf_.find(i);
    return found != annotationOf_.end() && found->second == annotation;
  }

  Status checkDones() const {
    for (const auto& [instruction, annotation] : annotationOf_) {
      const Opcode opcode = instruction->opcode();
      const bool isDone = opcode == Opcode::AllGatherDone || opcode == Opcode::AllReduceDone ||
                          opcode == Opcode::CollectivePermuteDone || opcode == Opcode::AsyncDone;
      if (!isDone || isIn(instruction->operand(0), annotation)) continue;
      return refuse(
          "scheduling-group-mismatch", *instruction,
          fmt::format("Done instruction's operand is not annotated with the same id: {}, annotation: {}",
                      instruction->operand(0)->name(), toString(annotation)));
    }
    return {};
  }

  void forget(Instruction* instruction) {
    const auto found = annotationOf_.find(instruction);
    if (found == annotationOf_.end()) return;
    Members& members = groups_[found->second][&instruction->parent()];
    std::erase(members, instruction);
    annotationOf_.erase(found);
  }

  // By group whatever the iteration: single work instructions the rules do not keep, and groups in which
  // nothing is asynchronous.
  void removeTrivialGroups() {
    std::map<int64_t, std::map<ComputationId, Members>> byGroup;
    for (const auto& [annotation, computations] : groups_) {
      if (!annotation.group) continue;
      for (const auto& [computation, members] : computations) {
        Members& all = byGroup[*annotation.group][computation->id()];
        all.insert(all.end(), members.begin(), members.end());
      }
    }
    for (const auto& [group, computations] : byGroup) {
      Members left;
      for (const auto& [computation, members] : computations) {
        if (members.size() == 1 && rules_.keepTrivialSync && !rules_.keepTrivialSync(*members[0])) {
          drop(*members[0], "it was alone in its scheduling group");
          forget(members[0]);
        } else {
          left.insert(left.end(), members.begin(), members.end());
        }
      }
      if (std::ranges::any_of(left, [](const Instruction* i) { return isSupportedAsync(*i, true, true); }))
        continue;
      for (Instruction* member : left) {
        drop(*member, "nothing in its scheduling group is asynchronous");
        forget(member);
      }
    }
  }

  // A chain of single users and operands from a member to another joins the group.
  void fillChains() {
    std::vector<std::pair<Instruction*, SchedulingAnnotation>> filled;
    for (const auto& [annotation, computations] : groups_) {
      for (const auto& [computation, members] : computations) {
        for (const Instruction* member : members) {
          Members chain;
          const Instruction* at = member;
          while (at->users().size() == 1) {
            Instruction* next = at->users()[0];
            const auto known = annotationOf_.find(next);
            if (known != annotationOf_.end() && known->second.group == annotation.group) {
              for (Instruction* i : chain) filled.emplace_back(i, annotation);
              break;
            }
            if (known != annotationOf_.end() || next->operandCount() != 1) break;
            chain.push_back(next);
            at = next;
          }
        }
      }
    }
    for (const auto& [instruction, annotation] : filled) {
      if (!annotationOf_.emplace(instruction, annotation).second) continue;
      setSchedulingAnnotation(*instruction, annotation);
      groups_[annotation][&instruction->parent()].push_back(instruction);
      context_.remark(*instruction, "added", fmt::format("to scheduling group {}", toString(annotation)));
      changed_ = true;
    }
  }

  Members followers(const Instruction* i) const {
    Members all(i->users().begin(), i->users().end());
    if (const auto found = controlSuccessors_.find(i); found != controlSuccessors_.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
    return all;
  }

  // Past a barrier, to the element that `from` comes out as; `user` itself when there is none.
  static Instruction* pastBarrier(Instruction* user, const Instruction* from) {
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

  std::optional<Members> findGap(const SchedulingAnnotation& annotation, const Members& members) const {
    absl::flat_hash_map<const Instruction*, Instruction*> cameFrom;
    Members stack;
    for (Instruction* member : members) {
      for (Instruction* user : followers(member)) {
        if (isIn(user, annotation) || !cameFrom.emplace(user, member).second) continue;
        stack.push_back(user);
      }
    }
    while (!stack.empty()) {
      Instruction* at = stack.back();
      stack.pop_back();
      for (Instruction* user : followers(at)) {
        if (rules_.skipOptBarriers && user->opcode() == Opcode::OptBarrier) continue;
        if (rules_.skipOptBarriers) user = pastBarrier(user, at);
        if (isIn(user, annotation)) {
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

  Status checkGaps() {
    for (const auto& [annotation, computations] : groups_) {
      bool hasGap = false;
      for (const auto& [computation, members] : computations) {
        const auto path = findGap(annotation, members);
        if (!path) continue;
        hasGap = true;
        if (rules_.dropGroupsWithGaps) continue;
        std::vector<std::string> notes;
        for (const Instruction* i : *path) {
          const auto own = annotationOf_.find(i);
          notes.push_back(fmt::format("path: {}, annotation: {}", i->name(),
                                      own == annotationOf_.end() ? "none" : toString(own->second)));
        }
        return refuse(
            "scheduling-group-gap", *path->front(),
            fmt::format("Support for annotation groups with gaps doesn't exist yet, annotation: {}, "
                        "instr: {} has the same annotation in its operand tree but has gaps on the way "
                        "from that operand to itself.",
                        toString(annotation), path->front()->name()),
            std::move(notes));
      }
      if (!hasGap) continue;
      for (const auto& [computation, members] : computations) {
        for (Instruction* member : members) drop(*member, "its scheduling group has a gap");
      }
    }
    return {};
  }

  Module& module_;
  PassContext& context_;
  const SchedulingAnnotationRules& rules_;
  absl::flat_hash_map<const Computation*, Instruction*> fusionOf_;
  absl::flat_hash_map<const Instruction*, SchedulingAnnotation> annotationOf_;
  std::map<SchedulingAnnotation, std::map<Computation*, Members>> groups_;
  absl::flat_hash_map<const Instruction*, Members> controlSuccessors_;
  bool changed_ = false;
};

// What XLA lets a GPU overlap: GEMMs of the library and of Triton.
bool isGpuGemm(const Instruction& i) {
  if (i.opcode() == Opcode::CustomCall) return i.get<Attr::CustomCallTarget>() == "__cublas$gemm";
  return i.opcode() == Opcode::Fusion &&
         i.get<Attr::BackendConfig>().find("\"__triton_gemm\"") != std::string_view::npos;
}

}  // namespace

Result<bool> legalizeSchedulingAnnotations(Module& module, PassContext& context,
                                           const SchedulingAnnotationRules& rules) {
  return Legalizer(module, context, rules).run();
}

Result<bool> legalizeSchedulingAnnotations(Module& module, PassContext& context) {
  return legalizeSchedulingAnnotations(module, context, SchedulingAnnotationRules());
}

Result<bool> legalizeSchedulingAnnotationsForGpu(Module& module, PassContext& context) {
  SchedulingAnnotationRules rules;
  rules.keepSync = isGpuGemm;
  return legalizeSchedulingAnnotations(module, context, rules);
}

}  // namespace hilo
