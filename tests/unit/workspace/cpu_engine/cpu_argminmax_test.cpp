// Where the greatest and the smallest elements are: of equal ones the first, of rows with a NaN the first
// NaN, of all infinities of the start's sign the first place; along either dimension, in every number type.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

// JAX's, for the greatest with GT and for the smallest with LT.
constexpr std::string_view kModule = R"(place {{
  a = {0}[] parameter(0)
  i = s32[] parameter(1)
  b = {0}[] parameter(2)
  j = s32[] parameter(3)
  beyond = pred[] compare(a, b), direction={1}
  nan = pred[] compare(a, a), direction=NE
  keeps = pred[] or(beyond, nan)
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  tie = pred[] and(equal, before)
  keepsPlace = pred[] or(keeps, tie)
  value = {0}[] select(keeps, a, b)
  at = s32[] select(keepsPlace, i, j)
  ROOT both = ({0}[], s32[]) tuple(value, at)
}}
ENTRY e {{
  x = {0}[{2}] {3}
  i = s32[{2}] iota(), iota_dimension={4}
  start = {0}[] constant({5})
  first = s32[] constant(0)
  both = ({0}[{6}], s32[{6}]) reduce(x, i, start, first), dimensions={{{4}}}, to_apply=place
  ROOT r = s32[{6}] get-tuple-element(both), index=1
}})";

TEST(CpuArgminmax, OfRowsAndColumnsAreTheEvaluators) {
  struct Type {
    std::string_view name, low, high;
  };
  for (const Type type : {Type{"f32", "-inf", "inf"}, Type{"f64", "-inf", "inf"}, Type{"bf16", "-inf", "inf"},
                          Type{"s32", "-2147483648", "2147483647"}, Type{"u8", "0", "255"}}) {
    for (const bool greatest : {true, false}) {
      const std::string_view direction = greatest ? "GT" : "LT", start = greatest ? type.low : type.high;
      expectEvaluated(fmt::format(kModule, type.name, direction, "6,150", "parameter(0)", 1, start, "6"));
      expectEvaluated(fmt::format(kModule, type.name, direction, "40,70", "parameter(0)", 0, start, "70"));
    }
  }
}

TEST(CpuArgminmax, OfEqualElementsInfinitiesAndNansTheFirst) {
  constexpr std::string_view kRows =
      "constant({{1,3,3,2},{0,-0,0,-1},{nan,5,nan,1},{4,nan,5,nan},{-inf,-inf,-inf,-inf},{inf,inf,-inf,inf}}"
      ")";
  for (const bool greatest : {true, false}) {
    const std::string_view direction = greatest ? "GT" : "LT", start = greatest ? "-inf" : "inf";
    expectEvaluated(fmt::format(kModule, "f32", direction, "6,4", kRows, 1, start, "6"));
    expectEvaluated(fmt::format(kModule, "f32", direction, "6,4", kRows, 0, start, "4"));
  }
}

}  // namespace
}  // namespace hilo
