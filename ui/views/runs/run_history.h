// The times of a module's runs, oldest first, by what ran them: what the chart of the runs view
// draws. No painting.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/workspace/run/runs.h"

namespace hilo {

struct HistoryPoint {
  RunId run;
  size_t place = 0;  // among all runs of the module, from the oldest
  int64_t medianNs = 0;
  int64_t lowNs = 0, highNs = 0;  // where the median lies; the median itself where too little was sampled
};

// One engine with one set of flags on one number of devices.
struct HistorySeries {
  std::string name;
  std::vector<HistoryPoint> points;
};

struct RunHistory {
  std::string moduleName;
  std::vector<HistorySeries> series;  // in the order they first ran
  size_t places = 0;
  int64_t leastNs = 0, mostNs = 0;  // over all points
};

// By RunRecord::moduleHash. `runs` newest first, as the store lists them; runs without samples are left out.
// Sorts every run's samples: not for the UI's thread.
std::map<uint64_t, RunHistory> historiesOf(std::span<const RunRecord> runs);

// A scale from values to [0, 1]: from 0 up, or by powers of ten where values lie far apart.
class TimeScale {
 public:
  TimeScale(int64_t leastNs, int64_t mostNs);
  double fraction(int64_t ns) const;
  // Where lines stand, from below.
  std::vector<int64_t> ticks() const;
  bool isLogarithmic() const { return logarithmic_; }

 private:
  bool logarithmic_;
  double from_, to_;  // of the value, or of its logarithm
};

}  // namespace hilo
