// Lines of arrays that are larger than the caches, taken to other places whole.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

std::string transposition(std::string_view from, std::string_view to, std::string_view order) {
  return fmt::format("ENTRY e {{\n x = {} parameter(0)\n ROOT y = {} transpose(x), dimensions={{{}}}\n}}\n",
                     from, to, order);
}

TEST(MovedLines, OfEveryWidthGiveWhatTheEvaluatorGives) {
  // Lines of one piece, of several, and of one line of memory.
  for (const auto& [type, sizes, turned] : {std::tuple("f32", "[4,800,12,64]", "[4,12,800,64]"),
                                            std::tuple("f32", "[2,300,12,320]", "[2,12,300,320]"),
                                            std::tuple("bf16", "[4,700,13,128]", "[4,13,700,128]"),
                                            std::tuple("s8", "[9,1300,12,64]", "[9,12,1300,64]"),
                                            std::tuple("f64", "[3,600,10,64]", "[3,10,600,64]")})
    expectEvaluated(transposition(std::string(type) + sizes, std::string(type) + turned, "0,2,1,3"));
}

// The result's lines are no lines of the operand, or no whole pieces: other loops do them.
TEST(MovedLines, ThatAreNotWholeGiveWhatTheEvaluatorGives) {
  expectEvaluated(transposition("f32[4,800,12,60]", "f32[4,12,800,60]", "0,2,1,3"));
  expectEvaluated(transposition("c64[2,800,12,64]", "c64[2,12,800,64]", "0,2,1,3"));
  expectEvaluated(transposition("f32[4,800,12,64]{0,3,2,1}", "f32[4,12,800,64]", "0,2,1,3"));
}

TEST(MovedLines, OfACopyToAnotherLayoutGiveWhatTheEvaluatorGives) {
  expectEvaluated(
      "ENTRY e {\n x = f32[4,800,12,64]{3,2,1,0} parameter(0)\n ROOT y = f32[4,800,12,64]{3,1,2,0} "
      "copy(x)\n}\n");
}

}  // namespace
}  // namespace hilo
