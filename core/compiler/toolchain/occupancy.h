// How many blocks of a kernel a multiprocessor of a GPU holds at once, and what keeps it from holding more:
// computed from what the assembler says the kernel takes, as the CUDA occupancy calculator does.
#pragma once

#include <optional>
#include <string>

#include "core/compiler/toolchain/assembler_words.h"

namespace hilo {

struct Occupancy {
  int blocks = 0;   // on one multiprocessor
  int threads = 0;  // of these
  int mostThreads = 0;
  std::string limit;  // "threads", "blocks", "registers", "shared memory"
  double share() const { return static_cast<double>(threads) / mostThreads; }
};

// Nullopt of an architecture (90 for sm_90) whose multiprocessor is not known. `threads` of a block, > 0.
std::optional<Occupancy> occupancyOf(const KernelResources& kernel, int architecture, int threads);

}  // namespace hilo
