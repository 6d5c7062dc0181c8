#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string combiner(const std::string& type, const std::string& op) {
  return fmt::format("f {{ a = {0}[] parameter(0)\nb = {0}[] parameter(1)\nROOT r = {0}[] {1}(a, b) }}\n",
                     type, op);
}
std::string entry(const std::string& body) { return "ENTRY e {\n" + body + "\n}\n"; }

TEST(EvalReduce, OverEachDimension) {
  const std::string max = combiner("s32", "maximum");
  const std::string p = "p = s32[2,3] parameter(0)\nz = s32[] constant(-9)\n";
  const std::vector<std::string> in = {"s32[2,3] {{1,5,3},{4,2,6}}"};
  expectEval(max + entry(p + "ROOT r = s32[3] reduce(p, z), dimensions={0}, to_apply=f"), in,
             {"s32[3] {4,5,6}"});
  expectEval(max + entry(p + "ROOT r = s32[2] reduce(p, z), dimensions={1}, to_apply=f"), in,
             {"s32[2] {5,6}"});
  expectEval(max + entry(p + "ROOT r = s32[] reduce(p, z), dimensions={0,1}, to_apply=f"), in, {"s32[] 6"});
}

TEST(EvalReduce, SumsOfNarrowFloatsRoundOnce) {
  // In bf16 steps 256 + 1 stays 256; the true sum 260 is a bf16.
  expectEval(combiner("bf16", "add") + entry("p = bf16[5] parameter(0)\nz = bf16[] constant(0)\n"
                                             "ROOT r = bf16[] reduce(p, z), dimensions={0}, to_apply=f"),
             {"bf16[5] {256, 1, 1, 1, 1}"}, {"bf16[] 260"});
}

TEST(EvalReduce, SubtractionIsTakenInOrder) {
  expectEval(combiner("f32", "subtract") + entry("p = f32[3] parameter(0)\nz = f32[] constant(10)\n"
                                                 "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=f"),
             {"f32[3] {1, 2, 3}"}, {"f32[] 4"});
}

TEST(EvalReduce, ArgMaxReducesTwoArrays) {
  expectEval(R"(
argmax {
  v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  c = pred[] compare(v, w), direction=GE
  m = f32[] select(c, v, w)
  k = s32[] select(c, i, j)
  ROOT t = (f32[], s32[]) tuple(m, k)
}
ENTRY e {
  p = f32[2,3] parameter(0)
  i = s32[2,3] iota(), iota_dimension=1
  lowest = f32[] constant(-inf)
  none = s32[] constant(-1)
  ROOT r = (f32[2], s32[2]) reduce(p, i, lowest, none), dimensions={1}, to_apply=argmax
})",
             {"f32[2,3] {{1,9,9},{7,2,3}}"}, {"f32[2] {9, 7}", "s32[2] {1, 0}"});
}

// A computation with a loop in it has no scalar program and is run as it stands.
TEST(EvalReduce, ComputationWithControlFlow) {
  expectEval(R"(
yes { x = (s32[], s32[]) parameter(0)
  a = s32[] get-tuple-element(x), index=0
  b = s32[] get-tuple-element(x), index=1
  ROOT r = s32[] add(a, b) }
no { x = (s32[], s32[]) parameter(0)
  ROOT r = s32[] get-tuple-element(x), index=0 }
onlyPositive {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  z = s32[] constant(0)
  p = pred[] compare(b, z), direction=GT
  t = (s32[], s32[]) tuple(a, b)
  ROOT c = s32[] conditional(p, t, t), true_computation=yes, false_computation=no
}
ENTRY e {
  p = s32[4] parameter(0)
  z = s32[] constant(0)
  ROOT r = s32[] reduce(p, z), dimensions={0}, to_apply=onlyPositive
})",
             {"s32[4] {1, -2, 3, -4}"}, {"s32[] 4"});
}

TEST(EvalReduceWindow, StridesPaddingAndDilation) {
  const std::string add = combiner("f32", "add");
  const std::string p = "p = f32[4] parameter(0)\nz = f32[] constant(0)\n";
  const std::vector<std::string> in = {"f32[4] {1,2,3,4}"};
  expectEval(add + entry(p + "ROOT r = f32[2] reduce-window(p, z), window={size=2 stride=2}, to_apply=f"), in,
             {"f32[2] {3,7}"});
  expectEval(add + entry(p + "ROOT r = f32[4] reduce-window(p, z), window={size=4 pad=3_0}, to_apply=f"), in,
             {"f32[4] {1,3,6,10}"});
  expectEval(add + entry(p + "ROOT r = f32[2] reduce-window(p, z), window={size=2 rhs_dilate=2}, to_apply=f"),
             in, {"f32[2] {4,6}"});
  expectEval(add + entry(p + "ROOT r = f32[6] reduce-window(p, z), window={size=2 lhs_dilate=2}, to_apply=f"),
             in, {"f32[6] {1,2,2,3,3,4}"});
}

TEST(EvalReduceWindow, TwoArrays) {
  expectEval(R"(
f {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  x = s32[] add(a, c)
  y = f32[] maximum(b, d)
  ROOT t = (s32[], f32[]) tuple(x, y)
}
ENTRY e {
  p = s32[3] parameter(0)
  q = f32[3] parameter(1)
  zero = s32[] constant(0)
  low = f32[] constant(-inf)
  ROOT r = (s32[2], f32[2]) reduce-window(p, q, zero, low), window={size=2}, to_apply=f
})",
             {"s32[3] {1,2,3}", "f32[3] {5,4,6}"}, {"s32[2] {3,5}", "f32[2] {5,6}"});
}

// Worked by hand: windows of 2 by stride 2; the larger of each is chosen, ties to the first.
TEST(EvalSelectAndScatter, AddsTheSourceAtTheLargest) {
  expectEval(R"(
ge { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE }
f { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[6] parameter(0)
  s = f32[3] parameter(1)
  z = f32[] constant(0)
  ROOT r = f32[6] select-and-scatter(p, s, z), window={size=2 stride=2}, select=ge, scatter=f
})",
             {"f32[6] {1,3,5,2,4,4}", "f32[3] {10,20,30}"}, {"f32[6] {0,10,20,0,30,0}"});
}

TEST(EvalMapAndScan, MapAppliesToEachElement) {
  expectEval(R"(
f { a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] convert(b)
  ROOT r = f32[] multiply(a, c) }
ENTRY e {
  p = f32[2,2] parameter(0)
  q = s32[2,2] parameter(1)
  ROOT r = f32[2,2] map(p, q), dimensions={0,1}, to_apply=f
})",
             {"f32[2,2] {{1,2},{3,4}}", "s32[2,2] {{5,6},{7,8}}"}, {"f32[2,2] {{5,12},{21,32}}"});
}

TEST(EvalMapAndScan, ScanGivesOutputsAndTheLastCarry) {
  const std::string body = R"(
f { x = s32[] parameter(0)
  c = s32[] parameter(1)
  s = s32[] add(x, c)
  ROOT t = (s32[], s32[]) tuple(s, s) }
ENTRY e {
  p = s32[4] parameter(0)
  z = s32[] constant(0)
  ROOT r = (s32[4], s32[]) scan(p, z), dimensions={0}, num_carries=1, REVERSE to_apply=f
})";
  std::string forward = body, backward = body;
  forward.replace(forward.find("REVERSE"), 7, "");
  backward.replace(backward.find("REVERSE"), 7, "is_reverse=true,");
  expectEval(forward, {"s32[4] {1,2,3,4}"}, {"s32[4] {1,3,6,10}", "s32[] 10"});
  expectEval(backward, {"s32[4] {1,2,3,4}"}, {"s32[4] {10,9,7,4}", "s32[] 10"});
}

TEST(EvalMapAndScan, AScanOfOneResultIsNoTuple) {
  expectEval(R"(
f { x = s32[] parameter(0)
  c = s32[] parameter(1)
  ROOT s = s32[] add(x, c) }
ENTRY e {
  p = s32[4] parameter(0)
  z = s32[] constant(7)
  ROOT r = s32[] scan(p, z), dimensions={0}, num_carries=1, to_apply=f
})",
             {"s32[4] {1,2,3,4}"}, {"s32[] 17"});
}

}  // namespace
}  // namespace hilo
