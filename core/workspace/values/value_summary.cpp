#include "core/workspace/values/value_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

std::string indexText(Shape shape, int64_t place) {
  std::vector<int64_t> index(shape.rank());
  for (size_t d = shape.rank(); d-- > 0;) {
    index[d] = place % shape.dimension(d);
    place /= shape.dimension(d);
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

// Each number of an array, parts of complex ones by themselves: visit(value, element).
template <typename Visit>
void forEachNumber(const Literal& array, const Visit& visit) {
  const Shape shape = array.shape();
  const bool complex = isComplex(shape.elementType());
  const ElementType type = complex ? complexComponent(shape.elementType()) : shape.elementType();
  const int64_t parts = complex ? 2 : 1, count = shape.elementCount() * parts;
  constexpr int64_t kBlock = 4096;
  double values[kBlock];
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t size = std::min(kBlock, count - start);
    convertElements(values, ElementType::F64, array.bytes().data() + start * elementStorageBytes(type), type,
                    size);
    for (int64_t i = 0; i < size; ++i) visit(values[i], (start + i) / parts);
  }
}

template <typename Visit>
void forEachArray(const Literal& literal, const std::string& path, const Visit& visit) {
  for (size_t i = 0; i < literal.elements().size(); ++i)
    forEachArray(literal.elements()[i], fmt::format("{}{{{}}}", path, i), visit);
  if (literal.shape().isArray() && !literal.isElided()) visit(literal, path);
}

class Summarizer {
 public:
  void addArray(const Literal& array, const std::string& path) {
    summary_.elements += array.shape().elementCount();
    forEachNumber(array, [&](double value, int64_t element) {
      if (std::isfinite(value)) return addFinite(value);
      ++(std::isnan(value) ? summary_.nan : summary_.inf);
      if (!summary_.firstNonfinite.empty()) return;
      summary_.firstNonfinite =
          fmt::format("{}{}: {}", path, indexText(array.shape(), element),
                      std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
    });
  }
  ValueSummary take() {
    // Of a sum past the range of doubles the mean is known all the same.
    if (finite_ > 0) summary_.mean = static_cast<double>(sum_ / static_cast<long double>(finite_));
    return std::move(summary_);
  }

 private:
  void addFinite(double value) {
    summary_.least = finite_ > 0 ? std::min(summary_.least, value) : value;
    summary_.most = finite_ > 0 ? std::max(summary_.most, value) : value;
    summary_.zero += value == 0 ? 1 : 0;
    sum_ += value;
    ++finite_;
  }
  ValueSummary summary_;
  long double sum_ = 0;
  int64_t finite_ = 0;
};

}  // namespace

double ValueSummary::magnitude() const { return std::max(std::abs(least), std::abs(most)); }

ValueSummary summarize(const Literal& literal) {
  Summarizer summarizer;
  forEachArray(literal, "",
               [&](const Literal& array, const std::string& path) { summarizer.addArray(array, path); });
  return summarizer.take();
}

std::vector<int64_t> histogramOf(const Literal& literal, const ValueSummary& summary, size_t buckets) {
  if (summary.most == summary.least) buckets = 1;
  std::vector<int64_t> counts(buckets);
  // Halves, so that the ends of the range of doubles have a distance.
  const double width = summary.most / 2 - summary.least / 2;
  forEachArray(literal, "", [&](const Literal& array, const std::string&) {
    forEachNumber(array, [&](double value, int64_t) {
      if (!std::isfinite(value)) return;
      const double share = width > 0 ? (value / 2 - summary.least / 2) / width : 0;
      const auto place = static_cast<size_t>(std::max(0.0, share) * static_cast<double>(buckets));
      ++counts[std::min(place, buckets - 1)];
    });
  });
  return counts;
}

std::string spreadText(const ValueSummary& summary) {
  std::vector<std::string> words;
  if (summary.elements > summary.nan + summary.inf)
    words.push_back(summary.least == summary.most
                        ? fmt::format("{:.6g}", summary.least)
                        : fmt::format("{:.6g} to {:.6g}", summary.least, summary.most));
  if (summary.nan > 0) words.push_back(fmt::format("{} NaN", summary.nan));
  if (summary.inf > 0) words.push_back(fmt::format("{} Inf", summary.inf));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string summaryText(const Literal& literal) {
  const std::string spread = spreadText(summarize(literal));
  return toString(literal.shape().withoutLayout()) + (spread.empty() ? "" : ", " + spread);
}

}  // namespace hilo
