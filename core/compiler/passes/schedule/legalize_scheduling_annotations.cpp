#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/compiler/passes/schedule/annotated_instructions.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

// A start or done of a collective, a send or receive, or of what async-start wraps.
bool isSplitCollective(Opcode opcode) {
  const AsyncFacts facts = asyncFacts(opcode);
  return (facts.step == AsyncStep::Start || facts.step == AsyncStep::Done) && facts.whole != Opcode::Copy;
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
    if (rules_.checkGapsOnly) {
      TRY_STATUS(collect());
      TRY_STATUS(checkGaps());
      return changed_;
    }
    if (rules_.checkCycles) {
      TRY_STATUS(collect());
      TRY_STATUS(checkGroupCycles(annotated_, [&](const Instruction& i) {
        return isSupportedAsync(i, rules_.keepStarts, true) || keepsSync(i);
      }));
    }
    if (rules_.removeIterationsOnly) {
      TRY_STATUS(removeIterations());
      return changed_;
    }
    filter();
    TRY_STATUS(collect());
    TRY_STATUS(haulFromFusions());
    if (annotated_.groups.empty()) return changed_;
    if (rules_.checkStartsAndDones) TRY_STATUS(checkDones());
    removeTrivialGroups();
    fillChains();
    if (rules_.propagate) {
      TRY_STATUS(fillGaps());
    } else {
      TRY_STATUS(checkGaps());
    }
    return changed_;
  }

 private:
  using Members = AnnotatedInstructions::Members;

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
          return refuseGroup(
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
    TRY(annotated_, AnnotatedInstructions::of(module_, [&](const Computation& c) { return isFused(c); }));
    return {};
  }

  Status removeIterations() {
    for (Computation* computation : module_.computations()) {
      if (isFused(*computation)) continue;
      for (Instruction* i : computation->instructions()) {
        TRY(auto annotation, schedulingAnnotation(*i));
        if (!annotation || !annotation->iteration) continue;
        annotation->iteration.reset();
        if (annotation->group) {
          setSchedulingAnnotation(*i, *annotation);
        } else {
          removeSchedulingAnnotation(*i);
        }
        changed_ = true;
      }
    }
    return {};
  }

  Status checkDones() const {
    for (const auto& [instruction, annotation] : annotated_.annotationOf) {
      const Opcode opcode = instruction->opcode();
      const bool isDone = opcode == Opcode::AllGatherDone || opcode == Opcode::AllReduceDone ||
                          opcode == Opcode::CollectivePermuteDone || opcode == Opcode::AsyncDone;
      if (!isDone || annotated_.isIn(instruction->operand(0), annotation)) continue;
      return refuseGroup(
          "scheduling-group-mismatch", *instruction,
          fmt::format("Done instruction's operand is not annotated with the same id: {}, annotation: {}",
                      instruction->operand(0)->name(), toString(annotation)));
    }
    return {};
  }

  // By group whatever the iteration: single work instructions the rules do not keep, and groups in which
  // nothing is asynchronous.
  void removeTrivialGroups() {
    std::map<int64_t, std::map<ComputationId, Members>> byGroup;
    for (const auto& [annotation, computations] : annotated_.groups) {
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
          annotated_.forget(members[0]);
        } else {
          left.insert(left.end(), members.begin(), members.end());
        }
      }
      if (std::ranges::any_of(left, [](const Instruction* i) { return isSupportedAsync(*i, true, true); }))
        continue;
      for (Instruction* member : left) {
        drop(*member, "nothing in its scheduling group is asynchronous");
        annotated_.forget(member);
      }
    }
  }

  // A chain of single users and operands from a member to another joins the group.
  void fillChains() {
    std::vector<std::pair<Instruction*, SchedulingAnnotation>> filled;
    for (const auto& [annotation, computations] : annotated_.groups) {
      for (const auto& [computation, members] : computations) {
        for (const Instruction* member : members) {
          Members chain;
          const Instruction* at = member;
          while (at->users().size() == 1) {
            Instruction* next = at->users()[0];
            const auto known = annotated_.annotationOf.find(next);
            if (known != annotated_.annotationOf.end() && known->second.group == annotation.group) {
              for (Instruction* i : chain) filled.emplace_back(i, annotation);
              break;
            }
            if (known != annotated_.annotationOf.end() || next->operandCount() != 1) break;
            chain.push_back(next);
            at = next;
          }
        }
      }
    }
    for (const auto& [instruction, annotation] : filled) addTo(annotation, instruction);
  }

  void addTo(const SchedulingAnnotation& annotation, Instruction* instruction) {
    if (!annotated_.annotate(instruction, annotation)) return;
    context_.remark(*instruction, "added", fmt::format("to scheduling group {}", toString(annotation)));
    changed_ = true;
  }

  // What lies between members joins their group.
  Status fillGaps() {
    const auto groups = annotated_.groups;
    for (const auto& [annotation, computations] : groups) {
      for (const auto& [computation, members] : computations) {
        for (Instruction* i : between(annotated_, *computation, members)) {
          const auto own = annotated_.annotationOf.find(i);
          if (own != annotated_.annotationOf.end()) {
            return refuseGroup("scheduling-group-conflict", *i,
                               fmt::format("Trying to propagate scheduling annotation {} to {} but it has an "
                                           "existing annotation: {}",
                                           toString(annotation), i->name(), toString(own->second)));
          }
          if (rules_.dryRun) {
            changed_ = true;
          } else {
            addTo(annotation, i);
          }
        }
      }
    }
    return {};
  }

  Status checkGaps() {
    for (const auto& [annotation, computations] : annotated_.groups) {
      bool hasGap = false;
      for (const auto& [computation, members] : computations) {
        const auto path = findGap(annotated_, annotation, members, rules_.skipOptBarriers);
        if (!path) continue;
        hasGap = true;
        if (rules_.dropGroupsWithGaps) continue;
        std::vector<std::string> notes;
        for (const Instruction* i : *path) {
          const auto own = annotated_.annotationOf.find(i);
          notes.push_back(fmt::format("path: {}, annotation: {}", i->name(),
                                      own == annotated_.annotationOf.end() ? "none" : toString(own->second)));
        }
        return refuseGroup(
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
  AnnotatedInstructions annotated_;
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

Result<bool> legalizeSchedulingAnnotationsForGpu(Module& module, PassContext& context,
                                                 const SchedulingAnnotationRules& rules) {
  SchedulingAnnotationRules gemms = rules;
  gemms.keepSync = isGpuGemm;
  return legalizeSchedulingAnnotations(module, context, gemms);
}

}  // namespace hilo
