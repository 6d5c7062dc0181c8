// What a compiled module runs, thunk by thunk: what each one uses, which must wait for which and why, how
// long each takes, and on which thread. From Hilo's own compiler, or from the thunk sequence XLA wrote
// into a dump.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/dump/thunk_sequence.h"
#include "core/runtime/worker/worker_options.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/thunks/kernel_forms.h"

namespace hilo {

// Bytes of one allocation that a thunk reads, or writes.
struct ThunkUse {
  uint32_t allocation = 0;  // of the program; of XLA's as XLA counts
  int64_t offsetBytes = 0, sizeBytes = 0;
  bool writes = false;
  std::string place;  // "temporary 2 [64, 128)", "allocation 3 [128, 4096)"
  // What lies there: of XLA's "fusion.3{1}"; of Hilo's own the parameter, or the thunk that wrote all of it,
  // a loop for what it carries. Empty where it cannot be told.
  std::string value;

  int64_t endBytes() const { return offsetBytes + sizeBytes; }
  bool overlaps(const ThunkUse& other) const {
    return allocation == other.allocation && offsetBytes < other.endBytes() && other.offsetBytes < endBytes();
  }
};

struct StudiedThunk {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::string name;  // the instruction's, or the kernel's
  std::string kind;  // "kernel", "while"; of XLA's as printed: "kKernel"
  // Of the module; the first is the one it was made for. Empty where it cannot be told.
  std::vector<InstructionId> instructions;
  uint32_t parent = kNone;     // the thunk whose body it is in, an earlier one
  std::string part;            // which of the parent's sequences: "body", "condition", "branch_1"
  std::vector<ThunkUse> uses;  // its own, not those of what it runs
  std::string description;     // of XLA's: what it prints of it
  // All it says besides its bytes. Of XLA's printed ones there are none, but the description.
  std::vector<ThunkField> fields;
  int64_t usedBytes = 0;
  int64_t estimatedNs = -1;  // the compiler's, on one thread, of a loop for all its turns; -1: none
  // Over all times and devices it ran: the median of a few runs, or of one that was kept; -1: not measured.
  int64_t measuredNs = -1;
  uint32_t kernel = kNone;  // in the program
  std::string kernelName;   // of XLA's kernels: the function's
  // Of programs for GPUs: which graph of the study it is part of (graph_plan.h), and of others why of none.
  uint32_t graph = kNone;
  std::string whyNoGraph;
};

// `to` must wait for `from`.
struct ThunkHazard {
  uint32_t from = 0, to = 0;
  // None of them: as XLA printed it, or because nothing is known of what one of them uses.
  bool readAfterWrite = false, writeAfterRead = false, writeAfterWrite = false;
  bool keepsOrder = false;  // it only has to begin later: others can tell (collectives)
};

// Two thunks that stand side by side and use the same bytes, one of them writing, and that no chain of
// hazards orders; what a thunk runs counts as its own.
struct ThunkRace {
  uint32_t first = 0, second = 0;
  ThunkUse use;  // the bytes, as one of them writes them
};

// One execution of a thunk in a run on all threads.
struct ThunkSpan {
  uint32_t thunk = 0;
  uint32_t device = 0, thread = 0;
  int64_t startNs = 0, durationNs = 0;
};

struct Program;
struct RunRecord;
// A program whose thunks are studied, with what it takes to run it and to list its kernels.
struct StudiedProgram;

struct ThunkStudy {
  std::string title;  // what was compiled for what, or which file was read
  std::vector<StudiedThunk> thunks;
  std::vector<ThunkHazard> hazards;  // those that others imply are left out
  bool isChecked = false;            // races were looked for
  std::vector<ThunkRace> races;      // as findRaces gives them
  Diagnostics notes;                 // of XLA's: what of them could not be read
  std::vector<ThunkSpan> timeline;   // by start; empty where nothing ran
  // Nothing ran: the timeline is by stream, as planned, with estimated times.
  bool isPlanned = false;
  int64_t droppedSpans = 0;                       // executions that were too many to keep
  std::shared_ptr<const StudiedProgram> program;  // null where there is none: XLA's own thunks
};

// Null of XLA's own thunks.
std::shared_ptr<const Program> programOf(const ThunkStudy& study);

// Every pair that races. None, unless there is a mistake: the order comes from the same uses. Past
// kMostForRaces thunks side by side they are not compared, and `study.isChecked` is to stay false.
inline constexpr size_t kMostForRaces = 20'000;
std::vector<ThunkRace> findRaces(const ThunkStudy& study);
// Kind "data-race", with the bytes.
Diagnostic diagnosticOf(const ThunkStudy& study, const ThunkRace& race);

// Compiles the module as it stands for this processor. Nothing runs: of times there are the compiler's
// estimates alone. Errors: as of compiling.
Result<ThunkStudy> compileThunks(std::shared_ptr<const Module> module, const JobContext& context);
// The same for an NVIDIA GPU, "sm_90a", on any machine; which thunks are given to it as graphs is told, loops
// and choices among them, and the timeline is as planned on a described GPU. Kind "unknown-gpu" besides.
Result<ThunkStudy> compileThunksForGpu(std::shared_ptr<const Module> module, const std::string& gpu,
                                       const JobContext& context);

// Of a saved program (run/saved_program.h): its thunks are joined to no instructions. Whether this machine
// can run it is told in the title. Fails with "too-large": it may be anybody's, and sequences may be run
// from many places.
Result<ThunkStudy> studyProgram(std::shared_ptr<const Program> program);

// The study with times and a timeline: its program is run on made-up arguments, on the devices it
// asks for, a few times one thunk after the other, which gives the times, and once on all
// threads, which gives the timeline; in a worker when `worker` is set. The study has a program.
// Errors: as of running, "wrong-machine".
Result<ThunkStudy> measureThunks(const ThunkStudy& study, const std::optional<WorkerOptions>& worker,
                                 const JobContext& context);

// Whether the kept run may have timed these thunks: it is of a module of the same name and
// has times of thunks.
bool hasTimesOf(const ThunkStudy& study, const RunRecord& run);
// The study with the times of such a run, joined by names and kinds, and without a timeline; the title says
// which run. Kind "other-module" where it timed none of these thunks.
Result<ThunkStudy> withTimesOf(const ThunkStudy& study, const RunRecord& run);

// Compiled and measured.
Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module,
                               const std::optional<WorkerOptions>& worker, const JobContext& context);

// The kernel of a thunk: its HLO, LLVM IR as emitted and after optimisation, assembly; of a saved program the
// machine code alone. `options`: compiled so instead of as the module says; the assembly is then both, as a
// difference. Fails with "no-kernel", and as compiling and disassembling do.
Result<KernelForms> kernelForms(const ThunkStudy& study, uint32_t thunk,
                                const std::optional<LlvmKernelOptions>& options = std::nullopt);

}  // namespace hilo
