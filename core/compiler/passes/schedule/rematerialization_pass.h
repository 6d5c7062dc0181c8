// The passes that recompute values to need less memory: the rematerialisation of core/compiler/schedule with
// limits of its own.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct RematerializationSettings {
  int64_t memoryLimitBytes = 0;  // of the peak; 0: `peakPercent` of what it is
  int64_t peakPercent = 80;
  bool recompute = true;
  bool compress = true;
  bool hostOffload = false;
  int64_t hostMemorySpace = 5;
  int64_t hostBytesPerSecond = 50'000'000'000;
  int64_t flopsPerSecond = 60'000'000'000'000, bytesPerSecond = 3'000'000'000'000;
  int64_t minBytes = 0;
  std::string only;  // names of instructions, with colons between; empty: all
  bool mainThreadOnly = false;
  int64_t parallelThreads = 0;
  int64_t maxRounds = 200;  // each looks at the module anew
};
// Lowers the peak of a scheduled module to the limit, as far as that goes, and removes dead code.
Result<bool> runRematerialization(Module& module, PassContext& context,
                                  const RematerializationSettings& settings = {});

}  // namespace hilo
