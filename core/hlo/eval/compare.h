// Two literals compared element by element: what a disagreement between engines looks like.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// Elements agree when |a - b| <= absolute + relative * |b|; NaN agrees with NaN, an infinity with the same
// one. Integers and pred must be equal. A negative number stands for the element type's own: 8 units in the
// last place of 1 (8 * epsilon), both absolute and relative; f64 and c128 allow 64, as their results are
// often computed in other orders.
struct CompareTolerance {
  double absolute = -1;
  double relative = -1;
};
CompareTolerance defaultTolerance(ElementType type);
// The distance from 1 to the next number of a float type, of complex numbers that of their parts; else 0.
double epsilonOf(ElementType type);

// One array of the two literals.
struct LiteralDifference {
  std::vector<int64_t> path;  // tuple indices that lead to it
  Shape shape;
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements beyond the tolerance
  int64_t bitDifferences = 0;
  double maxAbsError = 0;
  double maxRelError = 0;  // |a - b| / |b|; infinite where b alone is 0
  // In units in the last place: representable values between the two. Integers: their difference.
  double maxUlpError = 0;
  int64_t firstMismatch = -1;     // row-major place; -1: none
  std::string firstMismatchText;  // "[3,0]: 1.5 and 1.25"
  int64_t nanA = 0, nanB = 0, infA = 0, infB = 0;
  // Elements by |a - b|: [0] equal, [i] error in [10^(i-21), 10^(i-20)), the ends open.
  static constexpr int kDecades = 32;
  std::array<int64_t, kDecades> decadeHistogram{};
  // Elements by ULP error: 0, 1, 2, 3-4, 5-8, ... ; as long as needed.
  std::vector<int64_t> ulpHistogram;
};

// One entry an array, in the order of the tuple. Of arrays with fewer elements than their bounds the real
// ones are compared; where one has other sizes than the other nothing of it agrees. Kind "shape-mismatch"
// when the shapes differ (layouts aside) and "elided-constant" when values are missing. `bound`, of the shape
// of b: each float or complex number agrees too where it is as near as its element says.
Result<std::vector<LiteralDifference>> compareLiterals(const Literal& a, const Literal& b,
                                                       const CompareTolerance& tolerance = {},
                                                       const Literal* bound = nullptr);

bool agrees(const std::vector<LiteralDifference>& differences);

}  // namespace hilo
