// Gives every value of a module a place: an allocation, an offset and a size. Parameters, constants and what
// lives out of the module have allocations of their own, which values that end earlier may use as well; all
// else goes into one heap a memory space. Matches service/buffer_assignment.cc of XLA for modules with an
// order: a module that is not scheduled is taken in the order of its lists.
#pragma once

#include <optional>

#include "core/analysis/dataflow/alias_rules.h"
#include "core/base/cancel.h"
#include "core/compiler/buffers/best_fit_heap.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

struct BufferAssignmentOptions {
  std::optional<AliasBackend> backend;  // default: told from the module
  int64_t alignmentBytes = 0;           // of places in a heap, a power of two; 0: 128 for GPU, else 64
  int64_t pointerBytes = 8;             // of a tuple's element
  bool shareOperands = true;
  std::optional<HeapOrder> heapOrder;  // default: the better of both
  CancelToken cancel;
};

// Error kinds: those of AliasAnalysis::run, "cancelled", "module-too-large" when sizes add up to more than
// 2^60 bytes.
Result<BufferAssignment> assignBuffers(const Module& module, const BufferAssignmentOptions& options = {});

}  // namespace hilo
