// How long instructions take on a described machine: kernels by roofline (floating-point rate of the type
// against memory bandwidth), matrix multiplications with how well their tiles fill the machine, collectives
// by what each device sends over the link they need. In nanoseconds. An estimate to compare orders by, not a
// measurement: measured times override it (profile_latency.h).
#pragma once

#include "core/analysis/cost/device.h"
#include "core/analysis/cost/latency_estimator.h"
#include "core/analysis/cost_facts.h"

namespace hilo {

enum class CollectiveAlgorithm : uint8_t { None, Ring, Tree, Direct };
std::string_view collectiveAlgorithmName(CollectiveAlgorithm algorithm);

// What was assumed of a collective.
struct CollectiveEstimate {
  double ns = 0;
  int64_t bytes = 0;  // of the larger of operands and result, on one device
  int64_t groupSize = 1;
  bool withinNode = true;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::None;
};

class DeviceLatencyEstimator : public LatencyEstimator {
 public:
  // `module` must outlive the estimator and keep its instructions.
  DeviceLatencyEstimator(const Module& module, DeviceDescription device);

  double nodeCost(const Instruction& instruction) const override;
  double latencyBetween(const Instruction& from, const Instruction& to) const override;
  double unitsPerMicrosecond() const override { return 1000; }

  // The work itself, as if it were synchronous; of an asynchronous start what it starts.
  double workNs(const Instruction& instruction) const;
  // Of a collective, its start, or what an async-start wraps.
  CollectiveEstimate collective(const Instruction& instruction) const;
  const DeviceDescription& device() const { return device_; }
  const ModuleCost& facts() const { return facts_; }

 private:
  double kernelNs(const Instruction& instruction) const;
  double loopNs(const Instruction& loop) const;
  double computationNs(const Computation& computation) const;
  double matmulRate(const Instruction& instruction) const;

  DeviceDescription device_;
  ModuleCost facts_;
  std::vector<double> computationNs_;  // by computation id
};

// What decides the estimate: "launch", "memory", "compute", "link", "loop"; "" of what costs nothing.
std::string_view boundOf(const Instruction& instruction, const DeviceLatencyEstimator& device);

}  // namespace hilo
