#include "core/workspace/values/value_summary.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo {
namespace {

Literal floats(std::initializer_list<float> values) {
  Literal literal(Shape::array(ElementType::F32, {static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, literal.mutableData<float>().begin());
  return literal;
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ValueSummary, countsWhatIsFiniteAndWhatIsNot) {
  const ValueSummary summary = summarize(floats({-3, 0, kNan, 1, kInf, 0, 4}));
  EXPECT_EQ(summary.elements, 7);
  EXPECT_EQ(summary.nan, 1);
  EXPECT_EQ(summary.inf, 1);
  EXPECT_EQ(summary.zero, 2);
  EXPECT_EQ(summary.least, -3);
  EXPECT_EQ(summary.most, 4);
  EXPECT_DOUBLE_EQ(summary.mean, 0.4);
  EXPECT_EQ(summary.magnitude(), 4);
  EXPECT_EQ(summary.firstNonfinite, "[2]: nan");
  EXPECT_EQ(spreadText(summary), "-3 to 4, 1 NaN, 1 Inf");
}

TEST(ValueSummary, histogramHasEveryFiniteValueOnce) {
  const Literal literal = floats({0, 1, 2, 3, 4, 5, 6, 7, 8, kNan});
  const ValueSummary summary = summarize(literal);
  EXPECT_EQ(histogramOf(literal, summary, 4), (std::vector<int64_t>{2, 2, 2, 3}));
  const Literal same = floats({2, 2, 2});
  EXPECT_EQ(histogramOf(same, summarize(same), 4), (std::vector<int64_t>{3}));
}

// The distance between the ends is no double.
TEST(ValueSummary, histogramOfTheWholeRangeOfDoubles) {
  Literal literal(Shape::array(ElementType::F64, {3}));
  const double most = std::numeric_limits<double>::max();
  std::ranges::copy(std::initializer_list<double>{-most, 0, most}, literal.mutableData<double>().begin());
  EXPECT_EQ(histogramOf(literal, summarize(literal), 2), (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace hilo
