#include "core/runtime/trace/thunk_times.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/runtime/program/program.h"
#include "core/runtime/trace/thunk_trace.h"

namespace hilo {
namespace {

struct Total {
  int64_t times = 0, ns = 0;
};

// By run; empty of a thunk that no run executed.
using Totals = std::vector<Total>;

// By sequence and thunk.
std::vector<std::vector<Totals>> totalsOf(const Program& program,
                                          std::span<const std::vector<ThunkEvent>> runs) {
  std::vector<std::vector<Totals>> totals;
  for (const ThunkSequence& sequence : program.sequences) totals.emplace_back(sequence.size());
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const ThunkEvent& event : runs[run]) {
      CHECK(event.sequence < totals.size() && event.thunk < totals[event.sequence].size());
      Totals& own = totals[event.sequence][event.thunk];
      own.resize(runs.size());
      ++own[run].times;
      own[run].ns += event.durationNs;
    }
  }
  return totals;
}

Total medianOf(Totals& totals) {
  const auto middle = totals.begin() + static_cast<ptrdiff_t>(totals.size() / 2);
  // A run that did not execute it comes first.
  std::ranges::nth_element(totals, middle, {}, [](const Total& t) { return std::pair(t.times > 0, t.ns); });
  return *middle;
}

}  // namespace

std::vector<ThunkTime> thunkTimes(const Program& program, std::span<const std::vector<ThunkEvent>> runs) {
  auto totals = totalsOf(program, runs);
  std::vector<ThunkTime> times;
  for (uint32_t s = 0; s < totals.size(); ++s) {
    for (uint32_t t = 0; t < totals[s].size(); ++t) {
      if (totals[s][t].empty()) continue;
      const Total median = medianOf(totals[s][t]);
      if (median.times == 0) continue;
      const Thunk& thunk = program.sequences[s][t];
      times.push_back({.name = thunk.name,
                       .kind = std::string(thunkKindName(thunk.kind())),
                       .instruction = thunk.instruction,
                       .sequence = s,
                       .thunk = t,
                       .times = median.times,
                       .totalNs = median.ns});
    }
  }
  return times;
}

}  // namespace hilo
