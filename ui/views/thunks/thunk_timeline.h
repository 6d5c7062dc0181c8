// When each thunk of a study ran and where, as it is drawn, and moments of it. There may be a million
// executions: it is made in a job. Plain data; any thread.
#pragma once

#include <QString>
#include <optional>

#include "core/workspace/thunks/thunk_study.h"
#include "ui/views/thunks/heat_scale.h"

namespace hilo {

struct ThunkTimeline {
  // Thunks that run others lie in the upper strip of their lane, what they run below.
  struct Span {
    uint32_t thunk = 0;
    uint16_t depth = 0;
    double begin = 0, end = 0;
  };
  struct Lane {
    QString label;
    std::vector<Span> spans;  // by begin
    uint16_t depths = 1;
  };
  std::vector<Lane> lanes;
  double length = 0;  // nanoseconds
  HeatScale heat;
  std::vector<bool> runs;                                // by thunk: it runs others
  absl::flat_hash_map<InstructionId, uint32_t> thunkOf;  // of those that ran, the first made of it
};

ThunkTimeline makeTimeline(const ThunkStudy& study);

// A thunk and how much of an execution has passed, from 0 to 1.
struct ThunkMoment {
  uint32_t thunk = 0;
  double part = 0;
  friend bool operator==(const ThunkMoment&, const ThunkMoment&) = default;
};

// What began last on a lane then; nullopt before its first.
std::optional<ThunkMoment> momentAt(const ThunkTimeline::Lane& lane, double ns);
// When that is, in the execution nearest to `nearNs`; nullopt of a thunk that did not run.
std::optional<double> timeOf(const ThunkTimeline& timeline, const ThunkMoment& moment, double nearNs);

}  // namespace hilo
