// Concatenates against the evaluator: as loops of their own at the result's places, several of them cut in
// different places, along every dimension, empty operands, and those that choose for each element.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

TEST(CpuConcatenates, AlongEveryDimension) {
  expectEvaluated(R"(ENTRY e { x = f32[3,4,5] parameter(0)
  y = f32[2,4,5] parameter(1)
  n = f32[2,4,5] negate(y)
  none = f32[0,4,5] slice(x), slice={[0:0], [0:4], [0:5]}
  ROOT c = f32[7,4,5]{0,2,1} concatenate(x, none, n, y), dimensions={0} })");
  expectEvaluated(R"(ENTRY e { x = f32[3,4,5] parameter(0)
  y = f32[3,1,5] parameter(1)
  t = f32[3,1,5] tanh(y)
  ROOT c = f32[3,6,5] concatenate(t, x, y), dimensions={1} })");
  expectEvaluated(R"(ENTRY e { x = f32[300] parameter(0)
  y = f32[300] parameter(1)
  a = f32[300,1] reshape(x)
  b = f32[300,1] reshape(y)
  m = f32[300,1] multiply(a, b)
  ROOT c = f32[300,3] concatenate(a, m, b), dimensions={1} })");
}

// A rotation of halves, and two cut in different places below one root of several results.
TEST(CpuConcatenates, BelowElementwiseWork) {
  expectEvaluated(R"(ENTRY e { x = f32[4,6,8] parameter(0)
  sine = f32[4,6,8] parameter(1)
  cosine = f32[4,6,8] parameter(2)
  low = f32[4,6,4] slice(x), slice={[0:4], [0:6], [0:4]}
  high = f32[4,6,4] slice(x), slice={[0:4], [0:6], [4:8]}
  minus = f32[4,6,4] negate(high)
  turned = f32[4,6,8] concatenate(minus, low), dimensions={2}
  a = f32[4,6,8] multiply(x, cosine)
  b = f32[4,6,8] multiply(turned, sine)
  ROOT r = f32[4,6,8] add(a, b) })");
  expectEvaluated(R"(ENTRY e { x = f32[4,6] parameter(0)
  y = f32[2,6] parameter(1)
  z = f32[6,2] parameter(2)
  w = f32[6,4] parameter(3)
  one = f32[6,6] concatenate(x, y), dimensions={0}
  other = f32[6,6] concatenate(y, x), dimensions={0}
  across = f32[6,6] concatenate(z, w), dimensions={1}
  sum = f32[6,6] add(one, other)
  ROOT p = f32[6,6] multiply(sum, across) })");
}

std::string manySlices(int count, const std::string& after) {
  std::string text =
      "ENTRY e { x = f32[50,8] parameter(0)\n  at = s32[COUNT] parameter(1)\n  zero = s32[] constant(0)\n";
  std::string all;
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "  s{0} = s32[1] slice(at), slice={{[{0}:{1}]}}\n  r{0} = s32[] reshape(s{0})\n"
        "  d{0} = f32[3,8] dynamic-slice(x, r{0}, zero), dynamic_slice_sizes={{3,8}}\n",
        i, i + 1);
    all += fmt::format("{}d{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("  {} = f32[{},8] concatenate({}), dimensions={{0}}\n{} }}",
                      after.empty() ? "ROOT c" : "c", 3 * count, all, after);
  text.replace(text.find("COUNT"), 5, std::to_string(count));
  return text;
}

TEST(CpuConcatenates, OfManyOperands) {
  expectEvaluated(manySlices(20, ""));
  // Not where the result has them.
  expectEvaluated(
      manySlices(9, "  t = f32[8,27] transpose(c), dimensions={1,0}\n  ROOT n = f32[8,27] negate(t)"));
  expectEvaluated(
      manySlices(3, "  t = f32[8,9] transpose(c), dimensions={1,0}\n  ROOT n = f32[8,9] negate(t)"));
}

}  // namespace
}  // namespace hilo
