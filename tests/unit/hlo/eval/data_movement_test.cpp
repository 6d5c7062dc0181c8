#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(EvalDataMovement, ReshapeTransposeBroadcastReverse) {
  const std::string p = "p = s32[2,3] parameter(0)\n";
  const std::vector<std::string> in = {"s32[2,3] {{1,2,3},{4,5,6}}"};
  expectEval(p + "ROOT r = s32[3,2] reshape(p)", in, {"s32[3,2] {{1,2},{3,4},{5,6}}"});
  expectEval(p + "ROOT r = s32[3,2] transpose(p), dimensions={1,0}", in, {"s32[3,2] {{1,4},{2,5},{3,6}}"});
  expectEval(p + "ROOT r = s32[2,2,3] broadcast(p), dimensions={0,2}", in,
             {"s32[2,2,3] {{{1,2,3},{1,2,3}},{{4,5,6},{4,5,6}}}"});
  expectEval(p + "ROOT r = s32[2,3] reverse(p), dimensions={1}", in, {"s32[2,3] {{3,2,1},{6,5,4}}"});
  expectEval(p + "ROOT r = s32[2,3] reverse(p), dimensions={0,1}", in, {"s32[2,3] {{6,5,4},{3,2,1}}"});
}

TEST(EvalDataMovement, SliceWithStrides) {
  expectEval("p = s8[2,5] parameter(0)\nROOT r = s8[1,3] slice(p), slice={[1:2], [0:5:2]}",
             {"s8[2,5] {{0,1,2,3,4},{5,6,7,8,9}}"}, {"s8[1,3] {{5,7,9}}"});
}

TEST(EvalDataMovement, ConcatenateInTheMiddle) {
  expectEval(
      "a = f16[2,1] parameter(0)\nb = f16[2,2] parameter(1)\nROOT r = f16[2,3] concatenate(a, b), "
      "dimensions={1}",
      {"f16[2,1] {{1},{2}}", "f16[2,2] {{3,4},{5,6}}"}, {"f16[2,3] {{1,3,4},{2,5,6}}"});
}

TEST(EvalDataMovement, PadWithInteriorAndNegativeEdges) {
  const std::string p = "p = s32[3] parameter(0)\nz = s32[] constant(0)\n";
  const std::vector<std::string> in = {"s32[3] {1, 2, 3}"};
  expectEval(p + "ROOT r = s32[8] pad(p, z), padding=1_2_1", in, {"s32[8] {0,1,0,2,0,3,0,0}"});
  expectEval(p + "ROOT r = s32[2] pad(p, z), padding=-1_0", in, {"s32[2] {2,3}"});
  expectEval(p + "ROOT r = s32[2] pad(p, z), padding=-2_-1_1", in, {"s32[2] {2,0}"});
  expectEval(p + "ROOT r = s32[4] pad(p, z), padding=3_-2", in, {"s32[4] {0,0,0,1}"});
}

TEST(EvalDataMovement, IotaInEveryKindOfType) {
  expectEval("ROOT r = s32[2,3] iota(), iota_dimension=1", {}, {"s32[2,3] {{0,1,2},{0,1,2}}"});
  expectEval("ROOT r = bf16[2,2] iota(), iota_dimension=0", {}, {"bf16[2,2] {{0,0},{1,1}}"});
  expectEval("ROOT r = c64[2] iota(), iota_dimension=0", {}, {"c64[2] {(0,0),(1,0)}"});
  expectEval("ROOT r = u2[5] iota(), iota_dimension=0", {}, {"u2[5] {0,1,2,3,0}"});
}

TEST(EvalDataMovement, DynamicSliceAndUpdateClampTheirStart) {
  const std::string p = "p = s32[4] parameter(0)\ni = s32[] parameter(1)\n";
  expectEval(p + "ROOT r = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
             {"s32[4] {1,2,3,4}", "s32[] 1"}, {"s32[2] {2,3}"});
  expectEval(p + "ROOT r = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
             {"s32[4] {1,2,3,4}", "s32[] 9"}, {"s32[2] {3,4}"});
  expectEval(p + "ROOT r = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
             {"s32[4] {1,2,3,4}", "s32[] -5"}, {"s32[2] {1,2}"});
  expectEval(p + "u = s32[2] constant({8,9})\nROOT r = s32[4] dynamic-update-slice(p, u, i)",
             {"s32[4] {1,2,3,4}", "s32[] 3"}, {"s32[4] {1,2,8,9}"});
}

// A bitcast keeps the physical order: column-major [2,3] holds 1 4 2 5 3 6.
TEST(EvalDataMovement, BitcastFollowsLayouts) {
  expectEval("p = s32[2,3]{0,1} parameter(0)\nROOT r = s32[6]{0} bitcast(p)", {"s32[2,3] {{1,2,3},{4,5,6}}"},
             {"s32[6] {1,4,2,5,3,6}"});
  expectEval("p = s32[2,3]{1,0} parameter(0)\nROOT r = s32[3,2]{0,1} bitcast(p)",
             {"s32[2,3] {{1,2,3},{4,5,6}}"}, {"s32[3,2] {{1,4},{2,5},{3,6}}"});
  expectEval("p = f32[1]{0} parameter(0)\nROOT r = s32[1]{0} bitcast(p)", {"f32[1] {1}"},
             {"s32[1] {1065353216}"});
}

TEST(EvalDataMovement, EmptyArrays) {
  expectEval("p = f32[0,3] parameter(0)\nROOT r = f32[3,0] transpose(p), dimensions={1,0}", {"f32[0,3] {}"},
             {"f32[3,0] {{},{},{}}"});
}

TEST(EvalDataMovement, WrongShapesAreRefused) {
  EXPECT_EQ(errorKind("p = f32[4] parameter(0)\nROOT r = f32[5] reshape(p)", {"f32[4] {1,2,3,4}"}),
            "malformed-instruction");
  EXPECT_EQ(
      errorKind("p = f32[4] parameter(0)\nROOT r = f32[2] slice(p), slice={[3:5]}", {"f32[4] {1,2,3,4}"}),
      "malformed-instruction");
  EXPECT_EQ(errorKind("p = f32[4] parameter(0)\nROOT r = f32[4,2] broadcast(p), dimensions={1}",
                      {"f32[4] {1,2,3,4}"}),
            "malformed-instruction");
}

TEST(EvalDynamicShape, SizesTravelAndReductionsHeedThem) {
  const std::string sum =
      "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT r = f32[] add(a, b) }\n";
  expectEval(sum + R"(ENTRY e {
    p = f32[4] parameter(0)
    n = s32[] parameter(1)
    d = f32[<=4] set-dimension-size(p, n), dimensions={0}
    x = f32[<=4] negate(d)
    z = f32[] constant(0)
    s = f32[] reduce(x, z), dimensions={0}, to_apply=add
    g = s32[] get-dimension-size(x), dimensions={0}
    ROOT t = (f32[], s32[]) tuple(s, g)
  })",
             {"f32[4] {1,2,3,4}", "s32[] 2"}, {"f32[] -3", "s32[] 2"});
}

TEST(EvalDynamicShape, AnOperationThatWouldReadPaddingIsRefused) {
  EXPECT_EQ(errorKind(R"(
    p = f32[4] parameter(0)
    two = s32[] constant(2)
    d = f32[<=4] set-dimension-size(p, two), dimensions={0}
    ROOT r = f32[1] slice(d), slice={[2:3]})",
                      {"f32[4] {1,2,3,4}"}),
            "unsupported-dynamic-shape");
}

TEST(EvalDynamicShape, DynamicReshapePacksTheRealElements) {
  const auto result = evalText(R"(
    p = s32[2,3] parameter(0)
    two = s32[] constant(2)
    one = s32[] constant(1)
    four = s32[] constant(4)
    d = s32[2,<=3] set-dimension-size(p, two), dimensions={1}
    ROOT r = s32[1,<=6] dynamic-reshape(d, one, four))",
                               {"s32[2,3] {{1,2,3},{4,5,6}}"});
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  const auto values = result->data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.begin() + 4), (std::vector<int32_t>{1, 2, 4, 5}));
  EXPECT_EQ(result->dynamicSizes()[1], 4);
}

}  // namespace
}  // namespace hilo
