// Which of two ready nodes the latency-hiding scheduler takes: the reasons of scheduling_reasons.def
// one after the other, as ReadySetLt::AIsBetterThanB of XLA's latency_hiding_scheduler.cc. Private
// to this folder.
#pragma once

#include "core/compiler/schedule/scheduling_state.h"

namespace hilo {

class CandidateOrder {
 public:
  explicit CandidateOrder(const SchedulingState& state);
  // Is `a` to be taken rather than `b`? `reason` says what decided.
  bool isBetter(Candidate& a, Candidate& b, SchedulingReason& reason) const;

 private:
  struct Row {
    int (*compare)(const SchedulingState&, Candidate&, Candidate&);
    SchedulingReason reason;
  };
  const SchedulingState& state_;
  std::vector<Row> rows_;  // those the settings ask for
};

}  // namespace hilo
