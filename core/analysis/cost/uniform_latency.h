// XLA's cost model without a machine: loop fusions cost 1000, output fusions and convolutions 5000, all else
// 1; an asynchronous operation takes 5000. With it an order compares exactly with the one XLA's own scheduler
// tests expect (ApproximateLatencyEstimator; for GPU GpuLatencyEstimator).
#pragma once

#include "core/analysis/cost/latency_estimator.h"

namespace hilo {

class UniformLatencyEstimator : public LatencyEstimator {
 public:
  static constexpr double kLowCost = 1, kMediumCost = 1000, kHighCost = 5000;
  static constexpr double kLowLatency = 1, kHighLatency = 5000;

  double nodeCost(const Instruction& instruction) const override;
  double latencyBetween(const Instruction& from, const Instruction& to) const override;
};

// What does nothing on a GPU costs 0, a custom call 1000 (or what its latency_metadata says);
// point-to-point transfers on a stream of their own take longer. `costlyAllReduces`: one of over 30 MiB
// takes four times as long.
class GpuUniformLatencyEstimator : public UniformLatencyEstimator {
 public:
  explicit GpuUniformLatencyEstimator(bool costlyAllReduces = false) : costlyAllReduces_(costlyAllReduces) {}
  double nodeCost(const Instruction& instruction) const override;
  double latencyBetween(const Instruction& from, const Instruction& to) const override;

 private:
  bool costlyAllReduces_;
};

// tuple, partition-id, replica-id, opt-barrier and what isNopForScheduling names but broadcast and iota.
bool isGpuNop(const Instruction& instruction);
// Starts and dones the GPU scheduler moves apart: collectives that are not marked synchronous, send and recv,
// groups of collectives, computations on another thread, copies to and from the host.
bool isGpuAsyncStart(const Instruction& instruction);
bool isGpuAsyncDone(const Instruction& instruction);
// Collectives to be issued on the stream of their own that point-to-point transfers use.
bool isOnP2pCollectiveStream(const Instruction& instruction);
bool isCollectivesGroup(const Instruction& link);
// A custom collective kernel: _xla_stream_annotation="collective".
bool isCustomCollective(const Instruction& link);

}  // namespace hilo
