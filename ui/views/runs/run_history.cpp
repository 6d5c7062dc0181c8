#include "ui/views/runs/run_history.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace hilo {
namespace {

std::string seriesName(const RunRecord& run) {
  std::string name = run.engine;
  if (run.devices > 1) name += " on " + std::to_string(run.devices) + " devices";
  return name;
}

// 1, 2 or 5 times a power of ten, at least `step`.
double roundStep(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::map<uint64_t, RunHistory> historiesOf(std::span<const RunRecord> runs) {
  std::map<uint64_t, RunHistory> histories;
  for (const RunRecord& run : runs | std::views::reverse) {
    if (run.timings.n() == 0) continue;
    RunHistory& history = histories[run.moduleHash];
    history.moduleName = run.moduleName;
    const std::string name = seriesName(run);
    auto series = std::ranges::find(history.series, name, &HistorySeries::name);
    if (series == history.series.end()) series = history.series.insert(series, {name, {}});
    HistoryPoint point{.run = run.id, .place = history.places++, .medianNs = run.timings.medianNs()};
    const auto interval = run.timings.medianIntervalNs();
    point.lowNs = interval ? interval->low : point.medianNs;
    point.highNs = interval ? interval->high : point.medianNs;
    history.leastNs = history.places == 1 ? point.lowNs : std::min(history.leastNs, point.lowNs);
    history.mostNs = std::max(history.mostNs, point.highNs);
    series->points.push_back(point);
  }
  return histories;
}

TimeScale::TimeScale(int64_t leastNs, int64_t mostNs) {
  const double least = std::max(1.0, static_cast<double>(leastNs));
  const double most = std::max(least, static_cast<double>(mostNs));
  logarithmic_ = most > 20 * least;
  from_ = logarithmic_ ? std::floor(std::log10(least)) : 0;
  to_ = logarithmic_ ? std::ceil(std::log10(most)) : 1.15 * most;
}

double TimeScale::fraction(int64_t ns) const {
  const double value =
      logarithmic_ ? std::log10(std::max(1.0, static_cast<double>(ns))) : static_cast<double>(ns);
  return std::clamp((value - from_) / (to_ - from_), 0.0, 1.0);
}

std::vector<int64_t> TimeScale::ticks() const {
  std::vector<int64_t> ticks;
  if (logarithmic_) {
    for (double power = from_; power <= to_; ++power)
      ticks.push_back(static_cast<int64_t>(std::llround(std::pow(10.0, power))));
    return ticks;
  }
  const double step = roundStep(to_ / 4);
  for (double at = 0; at <= to_; at += step) ticks.push_back(static_cast<int64_t>(std::llround(at)));
  return ticks;
}

}  // namespace hilo
