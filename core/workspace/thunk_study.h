// What a compiled module runs, thunk by thunk: what each one uses, which must wait for which and why, how
// long each takes. From Hilo's own compiler, or from the thunk sequence XLA wrote into a dump.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/workspace/job_queue.h"
#include "core/workspace/opened.h"

namespace hilo {

struct StudiedThunk {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::string name;  // the instruction's, or the kernel's
  std::string kind;  // "kernel", "while"; of XLA's as printed: "kKernel"
  // Of the module; the first is the one it was made for. Empty where it cannot be told.
  std::vector<InstructionId> instructions;
  uint32_t parent = kNone;                 // the thunk whose body it is in, an earlier one
  std::string part;                        // which of the parent's sequences: "body", "condition", "branch 1"
  std::vector<std::string> reads, writes;  // "temporary 2 [64, 128)"; of XLA's: empty
  std::string description;                 // of XLA's: what it prints of it
  int64_t usedBytes = 0;
  int64_t guessNs = -1;     // the compiler's, on one thread; -1: none
  int64_t measuredNs = -1;  // median of a few runs, summed over the times it ran; -1: not measured
  uint32_t kernel = kNone;  // in the program
};

// `to` must wait for `from`.
struct ThunkHazard {
  uint32_t from = 0, to = 0;
  bool readAfterWrite = false, writeAfterRead = false, writeAfterWrite = false;  // none of them: as printed
};

// Of each distinct kernel what it was compiled from.
struct KernelSources;

struct ThunkStudy {
  std::string title;  // what was compiled for what, or which file was read
  std::vector<StudiedThunk> thunks;
  std::vector<ThunkHazard> hazards;  // those that others imply are left out
  Diagnostics races;  // pairs that use the same bytes in no order: none, unless there is a mistake
  std::shared_ptr<const KernelSources> kernels;  // null where there is no program
};

// Compiles the module as it stands for this processor and runs it a few times on made-up arguments. Errors:
// as of compiling and running for cpu.
Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module, const JobContext& context);

// Whether the dump holds a thunk sequence of this module, and the sequence joined to `module`, its last
// stage.
bool hasThunkSequence(const OpenedDump& dump, size_t moduleIndex);
Result<ThunkStudy> studyThunksOfDump(const OpenedDump& dump, size_t moduleIndex, const Module& module);

// The kernel of a thunk: LLVM IR as emitted, after optimisation, and assembly, under headings. Fails with
// "no-kernel", and as compiling does.
Result<std::string> kernelText(const ThunkStudy& study, uint32_t thunk);

}  // namespace hilo
