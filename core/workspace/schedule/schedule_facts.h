// Facts of one order that explanations, comparisons and views share: its collectives with what of them is
// exposed, and where each instruction stands.
#pragma once

#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

// "1.20 ms"; "12 units" where the device counts abstractly.
std::string scheduleTimeText(double ns, bool abstract);
inline bool isAbstract(const ScheduleScenario& scenario) { return scenario.device == "uniform"; }
// "all-gather of 8 devices": what a collective, its start or done does.
std::string collectiveText(const Instruction& instruction);

// An asynchronous operation, or a collective the processor waits for all along.
struct OverlapRow {
  InstructionId start, done;  // the same of a synchronous one
  std::string name;           // of the start
  std::string what;           // "all-gather of 8 devices"
  std::string computation;
  int64_t times = 1;     // trips of the loops around it
  double latencyNs = 0;  // once
  double exposedNs = 0;  // once
  double queuedNs = 0;   // waits for its stream before it begins
  double workNs = 0;     // of the compute lane between its start and its done
  double totalExposedNs() const { return exposedNs * static_cast<double>(times); }
};
// Null when it is not finished in its computation.
const Instruction* doneOfStart(const Instruction& start);
// Most exposed first, then by length.
std::vector<OverlapRow> overlapRows(const ScheduleOutcome& outcome);

// Where instructions of one computation stand and what they take.
class OrderFacts {
 public:
  OrderFacts(const ScheduleOutcome& outcome, const Computation& computation);
  std::span<const Instruction* const> order() const { return order_; }
  size_t placeOf(const Instruction& instruction) const { return place_.at(&instruction); }
  bool has(const Instruction& instruction) const { return place_.contains(&instruction); }
  // On the compute lane, without waiting.
  double workNs(const Instruction& instruction) const;
  // Of instructions from place `first` up to, not including, `last`.
  double workBetweenNs(size_t first, size_t last) const;
  // Null when it has none of its kind.
  const TimelineEvent* event(const Instruction& instruction, TimelineEventKind kind) const;
  // When it is issued, within the computation.
  double issueNs(const Instruction& instruction) const { return issueNs_[placeOf(instruction)]; }
  const ComputationTimeline* timeline() const { return timeline_; }

 private:
  const ComputationTimeline* timeline_ = nullptr;
  std::vector<const Instruction*> order_;
  absl::flat_hash_map<const Instruction*, size_t> place_;
  std::vector<double> sumNs_;    // work before each place
  std::vector<double> issueNs_;  // by place
  absl::flat_hash_map<std::pair<const Instruction*, TimelineEventKind>, const TimelineEvent*> events_;
};

}  // namespace hilo
