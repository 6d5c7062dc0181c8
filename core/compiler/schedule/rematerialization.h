// Lowers the peak of live bytes of a scheduled module: values that wait over the peak are computed again
// behind it, wait in a layout with less padding, or wait on the host. Of a tuple's parts those that wait
// count, and what passes a value on (bitcasts, tuples) goes with it. The order stays a valid schedule, the
// results the same. Behaves like XLA's hlo/transforms/simplifiers/hlo_rematerialization.cc in what it asks
// for; it picks by the bytes freed for each byte touched and operation done again, at the module's peak.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct RematerializationOptions {
  int64_t limitBytes = 0;  // stop when the peak is no more than this
  bool recompute = true;
  bool compress = true;
  int64_t minBytes = 0;                               // results of an instruction that take fewer stay
  std::function<bool(const Instruction&)> considers;  // whose results are treated; empty: all
  bool mainThreadOnly = false;                        // what computations of other threads hold stays
  // Each computation of another thread runs that often at a time, beside the main thread, and its peak is
  // taken off the limit so often. 0: they count as if the main thread ran them where they start.
  int64_t parallelThreads = 0;
  bool hostOffload =
      false;  // values may wait on the host, where copies are hidden behind what runs meanwhile
  int64_t hostMemorySpace = 5;
  int64_t hostBytesPerSecond = 50'000'000'000;
  // How long an instruction runs: the slower of its operations and its bytes.
  int64_t flopsPerSecond = 60'000'000'000'000, bytesPerSecond = 3'000'000'000'000;
  int64_t maxRounds = 200;  // each looks at the module anew
  CancelToken cancel;
};

// What was done with a value, or why nothing was.
struct RematerializedValue {
  enum class Action : uint8_t { Recomputed, Compressed, Offloaded, Left };
  const Instruction* instruction = nullptr;
  Action action = Action::Left;
  int64_t bytes = 0;   // that no longer wait over the peak; Left: that still do
  std::string reason;  // Left: why
};

struct RematerializationResult {
  int64_t bytesBefore = 0, bytesAfter = 0;  // peaks, padding included
  bool reachedLimit = false;
  std::vector<RematerializedValue>
      values;  // in the order they were treated; then what is left at the last peak
  bool changed() const;
};

// Error kinds: "not-scheduled", "cancelled", those of AliasAnalysis::run.
Result<RematerializationResult> rematerialize(Module& module, const RematerializationOptions& options);

// Bytes of an array with the padding of its tiles; of anything else what it takes on a 64-bit machine.
int64_t paddedBytes(Shape shape);
// The shape in the order of dimensions that takes the fewest padded bytes; the shape itself when
// none takes fewer.
Shape compactShape(Shape shape);

}  // namespace hilo
