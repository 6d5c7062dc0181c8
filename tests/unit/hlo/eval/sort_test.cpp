#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

constexpr char kByFirst[] = R"(
lt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT
}
)";

TEST(EvalSort, IsStableAndCarriesTheOthers) {
  expectEval(std::string(kByFirst) + R"(ENTRY e {
    k = f32[5] parameter(0)
    v = s32[5] parameter(1)
    ROOT s = (f32[5], s32[5]) sort(k, v), dimensions={0}, is_stable=true, to_apply=lt
  })",
             {"f32[5] {3,1,3,2,1}", "s32[5] {0,1,2,3,4}"}, {"f32[5] {1,1,2,3,3}", "s32[5] {1,4,3,0,2}"});
}

TEST(EvalSort, AlongAnOuterDimension) {
  expectEval(R"(
gt { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GT }
ENTRY e {
  p = s32[3,2] parameter(0)
  ROOT s = s32[3,2] sort(p), dimensions={0}, to_apply=gt
})",
             {"s32[3,2] {{1,6},{3,2},{2,4}}"}, {"s32[3,2] {{3,6},{2,4},{1,2}}"});
}

// "Always true" is no ordering; the sort must end and keep the elements.
TEST(EvalSort, SurvivesAComparatorThatIsNoOrdering) {
  const auto result = evalText(R"(
yes { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] constant(true) }
ENTRY e {
  p = s32[100] iota(), iota_dimension=0
  ROOT s = s32[100] sort(p), dimensions={0}, to_apply=yes
})");
  ASSERT_TRUE(result.has_value());
  auto values = std::vector<int32_t>(result->data<int32_t>().begin(), result->data<int32_t>().end());
  std::ranges::sort(values);
  for (int32_t i = 0; i < 100; ++i) EXPECT_EQ(values[i], i);
}

TEST(EvalSort, TopK) {
  expectEval("p = f32[2,4] parameter(0)\nROOT t = (f32[2,2], s32[2,2]) topk(p), k=2, largest=true",
             {"f32[2,4] {{1,4,4,2},{nan,0,inf,-1}}"},
             {"f32[2,2] {{4,4},{nan,inf}}", "s32[2,2] {{1,2},{0,2}}"});
  expectEval("p = s32[4] parameter(0)\nROOT t = (s32[2], s32[2]) topk(p), k=2, largest=false",
             {"s32[4] {3,1,1,2}"}, {"s32[2] {1,1}", "s32[2] {1,2}"});
}

}  // namespace
}  // namespace hilo
