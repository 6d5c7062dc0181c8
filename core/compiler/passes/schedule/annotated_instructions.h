// The scheduling groups of a module, by annotation and computation. Private to this folder.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>

#include "core/compiler/pass/pass.h"
#include "core/compiler/schedule/scheduling_annotation.h"

namespace hilo {

struct AnnotatedInstructions {
  using Members = std::vector<Instruction*>;

  // Instructions of `fused` computations are not looked at. Error kind "bad-scheduling-annotation".
  static Result<AnnotatedInstructions> of(const Module& module,
                                          const std::function<bool(const Computation&)>& isFused);

  absl::flat_hash_map<const Instruction*, SchedulingAnnotation> annotationOf;
  std::map<SchedulingAnnotation, std::map<Computation*, Members>> groups;
  absl::flat_hash_map<const Instruction*, Members> controlSuccessors;

  bool isIn(const Instruction* i, const SchedulingAnnotation& annotation) const {
    const auto found = annotationOf.find(i);
    return found != annotationOf.end() && found->second == annotation;
  }
  // Users and those that wait for it.
  Members followers(const Instruction* i) const;
  // Puts the instruction into a group; false when it has one.
  bool annotate(Instruction* instruction, const SchedulingAnnotation& annotation);
  void forget(const Instruction* instruction);
};

// An instruction outside a group on the way between two of its members: the way, last member first.
std::optional<AnnotatedInstructions::Members> findGap(const AnnotatedInstructions& annotated,
                                                      const SchedulingAnnotation& annotation,
                                                      const AnnotatedInstructions::Members& members,
                                                      bool skipOptBarriers);

// What lies on ways between members, in the computation's order.
AnnotatedInstructions::Members between(const AnnotatedInstructions& annotated, const Computation& computation,
                                       const AnnotatedInstructions::Members& members);

// Error kind "scheduling-group-cycle": two groups of a computation that each wait for the other. Only members
// for which `counts` holds are looked at.
Status checkGroupCycles(const AnnotatedInstructions& annotated,
                        const std::function<bool(const Instruction&)>& counts);

std::unexpected<Diagnostic> refuseGroup(std::string kind, const Instruction& at, std::string message,
                                        std::vector<std::string> notes = {});

}  // namespace hilo
