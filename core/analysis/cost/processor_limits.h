// What one processor of a GPU holds at a time (processor_limits.def), in blocks of a kernel too.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace hilo {

struct ProcessorLimits {
  int64_t threads = 0, blocks = 0;
  int64_t sharedBytes = 0, sharedBytesOfBlock = 0;
  int64_t l2Bytes = 0;  // of the GPU
  int64_t tensorMemoryColumns = 0;
  int64_t registers = 65'536;
};

// Of "9.0": of that capability, or the nearest older one. Error kind "unknown-gpu": of a device without one,
// such as a processor of a host, or an older one than the table has.
Result<ProcessorLimits> limitsOf(const std::string& computeCapability);

struct BlockNeeds {
  int64_t threads = 0, registersOfThread = 0, sharedBytes = 0;
  int64_t tensorMemoryColumns = 0;
};

// How many blocks a processor holds at a time, at least one. Error kind "too-large": none, with what is
// needed and what there is.
Result<int64_t> blocksHeld(const BlockNeeds& block, const ProcessorLimits& limits);

}  // namespace hilo
