// How long things take, as schedulers and simulations ask: the cost of an instruction on the processor, and
// the time between two instructions of which one waits for the other. The same two questions as XLA's
// LatencyEstimator. Units are the estimator's own; unitsPerMicrosecond() tells them.
#pragma once

#include <memory>

#include "core/hlo/ir/module.h"

namespace hilo {

// Threads: const members may be called from any thread while the module is not changed.
class LatencyEstimator {
 public:
  virtual ~LatencyEstimator() = default;
  // Time the instruction keeps the stream that issues it busy. A start or done of an asynchronous operation
  // costs next to nothing: its work is the latency between them.
  virtual double nodeCost(const Instruction& instruction) const = 0;
  // Least time from the end of `from` to the start of `to`, which waits for it.
  virtual double latencyBetween(const Instruction& from, const Instruction& to) const = 0;
  virtual double unitsPerMicrosecond() const { return 1; }
};

// Frontend attribute latency_metadata="NANOSECONDS"; negative when there is none or it is no number.
double latencyFromMetadata(const Instruction& instruction, double unitsPerMicrosecond);

}  // namespace hilo
