// Gives every value of a module a place: an allocation, an offset and a size. Parameters, constants and what
// lives out of the module have allocations of their own, which values that end earlier may use as well; all
// else goes into one heap a memory space. Matches service/buffer_assignment.cc of XLA. A module that is not
// scheduled is taken in the order of its lists, or, with `anyOrder`, planned for every order its edges allow.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/base/cancel.h"
#include "core/compiler/buffers/best_fit_heap.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

// A place that was chosen beforehand, for all values that share a buffer with the one at `position`.
struct PresetPlace {
  HloPosition position;
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0;
};

// Takes values out of the heap and puts them apart behind it, to tell which one is written where it must not
// be: XLA's BufferIsolationOptions.
struct BufferIsolation {
  int64_t baseOffsetBytes = 0;  // in front of the whole heap
  int64_t paddingBytes = 0;     // in front of each value put apart
  size_t fuel = 0;              // how many are
  uint64_t orderSalt = 0;       // which: 0 the first by id, else by a hash of it with this
  std::vector<int64_t> colors;  // of heaps to do this in
};

// Which buffers are placed first. The largest leave the fewest holes.
enum class BufferOrder : uint8_t { BySize, Topological, ByLiveRangeStart };

struct BufferAssignmentOptions {
  std::optional<Backend> backend;  // default: told from the module
  int64_t alignmentBytes = 0;      // of places in a heap, a power of two; 0: 128 for GPU, else 64
  int64_t pointerBytes = 8;        // of a tuple's element
  bool shareOperands = true;
  bool allocateConstants = true;
  bool anyOrder = false;
  BufferOrder order = BufferOrder::BySize;
  std::optional<HeapOrder> heapOrder;     // default: the better of both
  std::optional<int64_t> heapLimitBytes;  // a memory space then has as many heaps as it takes
  // The memory space of a value; default: its layout's. All values of a buffer must be in one.
  std::function<int64_t(const AliasAnalysis&, const HloValue&)> colorOf;
  std::optional<int64_t> unallocatedColor;  // views: values there get no place of their own
  // Values that must not lie where the module's results are.
  std::function<bool(const HloValue&)> mustNotLiveOut;
  std::vector<PresetPlace> presets;
  std::map<int64_t, int64_t> presetBytes;  // of the allocation a memory space's presets lie in
  // Memory spaces where computations that never run at the same time lie on each other: of each, what runs
  // on a thread of its own.
  std::map<int64_t, std::vector<const Computation*>> privateStacks;
  std::optional<BufferIsolation> isolation;
  CancelToken cancel;
};

// Error kinds: those of AliasAnalysis::run, "cancelled", "module-too-large" when sizes add up to more than
// 2^60 bytes, "mixed-colors" when colorOf gives values of one buffer several memory spaces, "bad-preset" for
// a place that no value has or that does not fit its allocation.
Result<BufferAssignment> assignBuffers(const Module& module, const BufferAssignmentOptions& options = {});
// The same where the live ranges are known; the backend is that of their aliases.
Result<BufferAssignment> assignBuffers(const ValueLiveRanges& ranges, const BufferAssignmentOptions& options);

}  // namespace hilo
