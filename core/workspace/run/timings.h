// Times of repeated runs, and what they tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hilo {

struct Interval {
  int64_t low = 0, high = 0;
};

struct Timings {
  std::vector<int64_t> samplesNs;  // in the order they were taken
  size_t n() const { return samplesNs.size(); }
  // Nearest-rank quantile of the samples, `fraction` in [0, 1]; 0 when there are none.
  int64_t quantileNs(double fraction) const;
  int64_t medianNs() const { return quantileNs(0.5); }
  // Where the median of what was sampled lies with 95% confidence, whatever the distribution: between two of
  // the samples, by the binomial law. nullopt below six samples, which say too little.
  std::optional<Interval> medianIntervalNs() const;
};

struct Ratio {
  double median = 0, low = 0, high = 0;
};
// Of runs taken in turns: the median of b's sample over a's of the same turn, and where it lies with 95%
// confidence; nullopt where the numbers of samples differ or are under six.
std::optional<Ratio> pairedRatio(const Timings& a, const Timings& b);

}  // namespace hilo
