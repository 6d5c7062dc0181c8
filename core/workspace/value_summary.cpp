#include "core/workspace/value_summary.h"

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

class Summarizer {
 public:
  ValueSummary summary;

  void add(const Literal& literal, const std::string& path) {
    for (size_t i = 0; i < literal.elements().size(); ++i)
      add(literal.elements()[i], fmt::format("{}{{{}}}", path, i));
    if (literal.shape().isArray() && !literal.isElided()) addArray(literal, path);
  }

 private:
  void addArray(const Literal& literal, const std::string& path) {
    const Shape shape = literal.shape();
    const bool complex = isComplex(shape.elementType());
    const ElementType type = complex ? complexComponent(shape.elementType()) : shape.elementType();
    const int64_t parts = complex ? 2 : 1, count = shape.elementCount() * parts;
    summary.elements += shape.elementCount();
    constexpr int64_t kBlock = 4096;
    double values[kBlock];
    for (int64_t start = 0; start < count; start += kBlock) {
      const int64_t size = std::min(kBlock, count - start);
      convertElements(values, ElementType::F64, literal.bytes().data() + start * elementStorageBytes(type),
                      type, size);
      for (int64_t i = 0; i < size; ++i) {
        if (std::isfinite(values[i])) {
          addFinite(values[i]);
          continue;
        }
        ++(std::isnan(values[i]) ? summary.nan : summary.inf);
        if (summary.firstNonfinite.empty())
          summary.firstNonfinite =
              fmt::format("{}{}: {}", path, indexText(shape, (start + i) / parts),
                          std::isnan(values[i]) ? std::numeric_limits<double>::quiet_NaN() : values[i]);
      }
    }
  }
  void addFinite(double value) {
    summary.least = any_ ? std::min(summary.least, value) : value;
    summary.most = any_ ? std::max(summary.most, value) : value;
    any_ = true;
  }
  bool any_ = false;
};

}  // namespace

ValueSummary summarize(const Literal& literal) {
  Summarizer summarizer;
  summarizer.add(literal, "");
  return std::move(summarizer.summary);
}

std::string summaryText(const Literal& literal) {
  const ValueSummary summary = summarize(literal);
  std::string text = toString(literal.shape().withoutLayout());
  if (summary.elements > summary.nan + summary.inf)
    text += summary.least == summary.most ? fmt::format(", {:.6g}", summary.least)
                                          : fmt::format(", {:.6g} to {:.6g}", summary.least, summary.most);
  if (summary.nan > 0) text += fmt::format(", {} NaN", summary.nan);
  if (summary.inf > 0) text += fmt::format(", {} Inf", summary.inf);
  return text;
}

}  // namespace hilo
