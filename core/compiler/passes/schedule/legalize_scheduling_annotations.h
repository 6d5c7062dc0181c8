// Makes scheduling groups (_scheduling_group_id) ones the latency-hiding scheduler can take as a whole:
// annotations stay on asynchronous operations and on work that may be overlapped, move from fused
// instructions to their fusion, and go where a group has nothing asynchronous. A gap, an instruction outside
// a group on the way between two of its members, is filled when it is a plain chain and refused otherwise,
// with the way in the notes. Behaves like XLA's service/legalize_scheduling_annotations.cc.
#pragma once

#include <functional>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct SchedulingAnnotationRules {
  // Work, besides asynchronous operations, that keeps its annotation. Null: all.
  std::function<bool(const Instruction&)> keepSync;
  // Of a group with one instruction in a computation: whether it stays. Null: it does.
  std::function<bool(const Instruction&)> keepTrivialSync;
  bool keepStarts = true;
  bool checkStartsAndDones = true;
  // Look for gaps through opt-barriers and the tuples they take, element by element.
  bool skipOptBarriers = false;
  // Give up a group with a gap in place of refusing the module.
  bool dropGroupsWithGaps = false;
  // Put what lies in gaps into the group; `dryRun`: only see whether that could be.
  bool propagate = false;
  bool dryRun = false;
  // Refuse groups that wait for each other.
  bool checkCycles = false;
  // Nothing but looking for gaps, in the annotations as they are.
  bool checkGapsOnly = false;
  // Nothing but dropping the iterations of annotations.
  bool removeIterationsOnly = false;
};

// Error kinds: "bad-scheduling-annotation", "scheduling-group-gap", "scheduling-group-mismatch" (a done whose
// start is not in its group), "several-scheduling-groups" (in one fusion), "scheduling-group-conflict" (what
// lies in a gap has another group), "scheduling-group-cycle".
Result<bool> legalizeSchedulingAnnotations(Module& module, PassContext& context,
                                           const SchedulingAnnotationRules& rules = {});

// The passes: all annotations kept, and XLA's choice for GPU, where only library and Triton
// GEMMs keep theirs.
Result<bool> legalizeSchedulingAnnotationsForGpu(Module& module, PassContext& context,
                                                 const SchedulingAnnotationRules& rules = {});

}  // namespace hilo
