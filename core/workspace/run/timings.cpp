#include "core/workspace/run/timings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hilo {

int64_t Timings::quantileNs(double fraction) const {
  if (samplesNs.empty()) return 0;
  std::vector<int64_t> sorted = samplesNs;
  std::ranges::sort(sorted);
  const double rank = std::ceil(fraction * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(sorted.size() - 1)))];
}

namespace {

// The rank, from 1, of the sample below which the median lies with at most 2.5% chance; 0: there is none.
size_t lowRank(size_t n) {
  // Of n fair coins at most k - 1 fall heads.
  double below = 0;
  size_t rank = 0;
  const auto logChoose = [n](size_t k) {
    return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
           std::lgamma(static_cast<double>(n - k) + 1);
  };
  for (size_t k = 0; k < n; ++k) {
    below += std::exp(logChoose(k) - static_cast<double>(n) * std::numbers::ln2);
    if (below > 0.025) break;
    rank = k + 1;
  }
  return rank;
}

template <typename T>
std::optional<std::pair<T, T>> medianInterval(std::vector<T> samples) {
  const size_t rank = lowRank(samples.size());
  if (rank == 0) return std::nullopt;
  std::ranges::sort(samples);
  return std::pair(samples[rank - 1], samples[samples.size() - rank]);
}

}  // namespace

std::optional<Interval> Timings::medianIntervalNs() const {
  const auto interval = medianInterval(samplesNs);
  return interval ? std::optional(Interval{interval->first, interval->second}) : std::nullopt;
}

std::optional<Ratio> pairedRatio(const Timings& a, const Timings& b) {
  if (a.n() != b.n()) return std::nullopt;
  std::vector<double> ratios;
  for (size_t i = 0; i < a.n(); ++i) {
    if (a.samplesNs[i] <= 0) return std::nullopt;
    ratios.push_back(static_cast<double>(b.samplesNs[i]) / static_cast<double>(a.samplesNs[i]));
  }
  const auto interval = medianInterval(ratios);
  if (!interval) return std::nullopt;
  std::ranges::sort(ratios);
  const double median = (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
  return Ratio{median, interval->first, interval->second};
}

}  // namespace hilo
