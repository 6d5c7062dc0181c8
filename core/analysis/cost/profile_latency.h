// Measured times in place of estimates, by instruction name. Read from XLA's profile text form
// (ProfiledInstructionsProto: costs { name: "..." cost_us: 1.5 } latencies { source: "..." target: "..."
// latency_us: 2 }), or a table of lines NAME,MICROSECONDS. Behaves like XLA's
// service/profile_guided_latency_estimator.cc.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "core/analysis/cost/latency_estimator.h"
#include "core/base/result.h"

namespace hilo {

struct LatencyProfile {
  absl::flat_hash_map<std::string, double> costUs;
  absl::flat_hash_map<std::pair<std::string, std::string>, double> latencyUs;
};
// Error kind "bad-profile", with the line.
Result<LatencyProfile> parseLatencyProfile(std::string_view text, const std::string& file);

class ProfileLatencyEstimator : public LatencyEstimator {
 public:
  // `fallback` must outlive the estimator: what the profile does not know it is asked.
  ProfileLatencyEstimator(LatencyProfile profile, const LatencyEstimator& fallback)
      : profile_(std::move(profile)), fallback_(fallback) {}
  double nodeCost(const Instruction& instruction) const override;
  double latencyBetween(const Instruction& from, const Instruction& to) const override;
  double unitsPerMicrosecond() const override { return fallback_.unitsPerMicrosecond(); }
  // Does the profile have a cost of this instruction?
  bool knows(const Instruction& instruction) const { return costOf(instruction) >= 0; }

 private:
  double costOf(const Instruction& instruction) const;  // microseconds; -1: not known
  LatencyProfile profile_;
  const LatencyEstimator& fallback_;
};

}  // namespace hilo
