// Lowers the peak of live bytes of a scheduled module: values that wait over the peak are computed again
// behind it, or wait in a layout with less padding. The order stays a valid schedule, the results the same.
// Behaves like XLA's hlo/transforms/simplifiers/hlo_rematerialization.cc in what it asks for; it picks by the
// bytes freed for each byte touched and operation done again, at the peak of the whole module.
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
  int64_t maxRounds = 200;  // each looks at the module anew
  CancelToken cancel;
};

// What was done with a value, or why nothing was.
struct RematerializedValue {
  enum class Action : uint8_t { Recomputed, Compressed, Left };
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
