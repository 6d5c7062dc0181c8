// The buffer plans of a module: the one XLA wrote, where there is one, and Hilo's, on the same live ranges,
// so that they can be looked at side by side.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/memory/memory_blame.h"
#include "core/analysis/memory/memory_profile.h"
#include "core/base/cancel.h"
#include "core/workspace/open/opened.h"

namespace hilo {

struct MemoryPlan {
  BufferAssignment assignment;
  MemoryProfile profile;
  Diagnostics problems;       // values on the same bytes at the same time, values overwritten while needed
  std::vector<HeapEnd> ends;  // why its heaps are as large as they are
};

// What copy insertion says of a copy that is there, or of one that is missing.
struct CopyVerdict {
  std::string name;  // of the copy; of one that is missing, of what it copies
  InstructionId instruction;
  std::string verdict;  // "kept", "elided", "pinned"; "added": there is none yet, and one is needed
  std::string reason;
};

struct MemoryPlans {
  // The one asked for, or a copy in which its instructions have the same ids: where computations are called
  // from several places each caller has its own, and where a plan would overwrite values that are needed the
  // missing copies are there (not with a plan of XLA's, which is of the module as it is).
  std::shared_ptr<const Module> module;
  std::string path;  // of the file it was read from; "" for a module that passes made
  // Instructions in the order in which they run: the schedule's, or the lists' where there is none.
  std::vector<InstructionId> sequence;
  std::optional<MemoryPlan> xla;
  std::optional<MemoryPlan> hilo;
  std::vector<PlacementDifference> differences;  // what XLA's plan and Hilo's put into other memory
  int64_t liveBytes = 0;  // values live at once at most, constants left out: the peak of a schedule
  std::vector<AliasRow> aliases;
  std::vector<CopyVerdict> copies;  // where they were asked for, or copies are missing
  Diagnostics notes;  // what is missing and why: no plan of XLA's, an order that is no schedule, ...
};

struct MemoryPlanOptions {
  bool xla = true;
  bool hilo = true;
  bool copies = false;  // judging copies takes longer than all else
  CancelToken cancel;
};

// Of a file: its plan is in the same protobuf or, for a dump's text, in the file beside it. Of a dump
// directory: of every module that has one after optimizations. Error kinds: those of opening, of
// AliasAnalysis::run and of assignBuffers; "no-compiled-module" for a dump without one; "cancelled".
Result<std::vector<MemoryPlans>> planMemory(const std::string& path, const MemoryPlanOptions& options);

// Of one module: `file` says where it was read from and may hold XLA's plan; null for a module
// that passes made.
Result<MemoryPlans> planMemory(std::shared_ptr<const Module> module, const OpenedFile* file,
                               const MemoryPlanOptions& options);
// Of a dump's module as the stage `stage` was read: with XLA's plan when that is what the
// compiler ended with.
Result<MemoryPlans> planMemory(const OpenedDump& dump, size_t moduleIndex, const OpenedFile& stage,
                               bool isLastStage, const MemoryPlanOptions& options);

// Of every copy that is there, or missing: what copy insertion says of it. Error kinds: "cancelled" and those
// of the pass.
Result<std::vector<CopyVerdict>> judgeCopies(const Module& module, const CancelToken& cancel);

// The text of XLA's "-buffer-assignment.txt".
std::string printPlan(const MemoryPlan& plan);

}  // namespace hilo
