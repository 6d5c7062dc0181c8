// Values in a line: how they spread, and what is not finite.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/literal.h"

namespace hilo {

struct ValueSummary {
  int64_t elements = 0, nan = 0, inf = 0, zero = 0;
  double least = 0, most = 0, mean = 0;  // of the finite ones; 0 when there are none
  std::string firstNonfinite;            // "[3,0]: nan", in a tuple "{1}[3,0]: nan"; "" when all are finite
  bool isFinite() const { return nan == 0 && inf == 0; }
  // The largest distance from zero.
  double magnitude() const;
};
// Over all arrays of a tuple; complex numbers count by their parts.
ValueSummary summarize(const Literal& literal);

// How many finite values lie in each of `buckets` equal parts of [summary.least, summary.most]; one of them
// where all are equal. `summary` is this literal's.
std::vector<int64_t> histogramOf(const Literal& literal, const ValueSummary& summary, size_t buckets);

// "f32[4], 0.5 to 1.5, 1 NaN"
std::string summaryText(const Literal& literal);
// "0.5 to 1.5, 1 NaN"; "" of no elements.
std::string spreadText(const ValueSummary& summary);

}  // namespace hilo
