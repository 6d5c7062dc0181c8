// Which liberties kernels may take with floats: XLA's debug options xla_cpu_enable_fast_math and those that
// go with it. The functions of the scalar library take none.
#pragma once

#include <array>
#include <string_view>

namespace hilo {

struct FastMath {
  // xla_cpu_enable_fast_math: sums in any order, products and sums in one rounding, no sign of zero. The four
  // below are its xla_cpu_fast_math_honor_* when they are false, and nothing without it.
  bool isOn = false;
  bool ignoresNans = false;
  bool ignoresInfs = false;
  bool ignoresDivision = false;   // a reciprocal's product in a quotient's place
  bool ignoresFunctions = false;  // approximations of what the processor has an instruction for
  // xla_cpu_enable_fast_min_max, which holds by itself: of a number and a NaN the second operand.
  bool fastMinMax = false;

  friend bool operator==(const FastMath&, const FastMath&) = default;
};

struct FastMathFlag {
  using Field = bool FastMath::*;
  std::string_view name;  // the engine's: "fast-math-no-nans"
  Field field;
  bool needsFastMath;
  std::string_view option;  // XLA's debug option, and which value of it takes the liberty
  bool takenBy;
  std::string_view description;
};
inline constexpr std::array<FastMathFlag, 6> kFastMathFlags = {{
    {"fast-math", &FastMath::isOn, false, "xla_cpu_enable_fast_math", true,
     "add in any order, fuse products with sums, drop the sign of zero"},
    {"fast-math-no-nans", &FastMath::ignoresNans, true, "xla_cpu_fast_math_honor_nans", false,
     "fast-math, and no value is a NaN"},
    {"fast-math-no-infs", &FastMath::ignoresInfs, true, "xla_cpu_fast_math_honor_infs", false,
     "fast-math, and no value is infinite"},
    {"fast-math-reciprocals", &FastMath::ignoresDivision, true, "xla_cpu_fast_math_honor_division", false,
     "fast-math, and divide by reciprocals"},
    {"fast-math-functions", &FastMath::ignoresFunctions, true, "xla_cpu_fast_math_honor_functions", false,
     "fast-math, and approximate square roots"},
    {"fast-min-max", &FastMath::fastMinMax, false, "xla_cpu_enable_fast_min_max", true,
     "minimum and maximum of a number and a NaN give either"},
}};

}  // namespace hilo
