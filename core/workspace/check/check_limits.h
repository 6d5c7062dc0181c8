// What the public StableHLO test data's checks mean. Each is exactly as that project defines it; Hilo adds no
// tolerance of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/hlo/ir/literal.h"

namespace hilo {

// Where a check says nothing, the limits of one written as a custom call (stablehlo-translate --interpret);
// one written as an operation of the check dialect brings its own.
struct CheckLimits {
  double tolerance = 1e-3;  // expect_almost_eq: absolute
  uint64_t maxUlp = 3;      // expect_close
  uint64_t minUlp = 0;
};

// The number of floating-point values of `type` between two: 0 for equal bits or two NaNs, the largest number
// where just one is finite or they are different infinities.
uint64_t ulpDistance(ElementType type, uint64_t bitsA, double a, uint64_t bitsB, double b);

// "" when `actual` passes check `name` ("eq", "expect_eq", "expect_almost_eq", "expect_close") against
// `expected`, else where and how it first fails. Of complex numbers both parts must pass.
std::string checkLiterals(std::string_view name, const Literal& actual, const Literal& expected,
                          const CheckLimits& limits);

}  // namespace hilo
