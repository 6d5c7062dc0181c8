#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

constexpr char kMatrix[] = "s32[3,3] {{1,2,3},{4,5,6},{7,8,9}}";

TEST(EvalGather, RowsAndColumns) {
  const std::string p = "p = s32[3,3] parameter(0)\ni = s32[2] parameter(1)\n";
  expectEval(
      p + "ROOT g = s32[2,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
          "index_vector_dim=1, slice_sizes={1,3}",
      {kMatrix, "s32[2] {0,2}"}, {"s32[2,3] {{1,2,3},{7,8,9}}"});
  expectEval(
      p + "ROOT g = s32[3,2] gather(p, i), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
          "index_vector_dim=1, slice_sizes={3,1}",
      {kMatrix, "s32[2] {0,2}"}, {"s32[3,2] {{1,3},{4,6},{7,9}}"});
}

TEST(EvalGather, IndexVectorsInAnyDimensionAndClamped) {
  // The index vectors are the columns: (2,0) and (9,1), whose 9 is moved to 2.
  expectEval(
      "p = s32[3,3] parameter(0)\ni = s32[2,2] parameter(1)\n"
      "ROOT g = s32[2] gather(p, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
      "index_vector_dim=0, slice_sizes={1,1}",
      {kMatrix, "s32[2,2] {{2,9},{0,1}}"}, {"s32[2] {7,8}"});
  // A window of 2 starts at 1 at most.
  expectEval(
      "p = s32[3,3] parameter(0)\ni = s32[1] parameter(1)\n"
      "ROOT g = s32[2,3] gather(p, i), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0}, "
      "index_vector_dim=0, slice_sizes={2,3}",
      {kMatrix, "s32[1] {5}"}, {"s32[2,3] {{4,5,6},{7,8,9}}"});
}

TEST(EvalGather, BatchingDimensions) {
  expectEval(
      "p = s32[3,3] parameter(0)\ni = s32[3,1] parameter(1)\n"
      "ROOT g = s32[3] gather(p, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
      "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
      {kMatrix, "s32[3,1] {{2},{1},{0}}"}, {"s32[3] {3,5,7}"});
}

std::string combiner(const std::string& root) {
  return "f { old = s32[] parameter(0)\n new = s32[] parameter(1)\n ROOT r = s32[] " + root + " }\n";
}

TEST(EvalScatter, RepeatedIndicesAccumulateInOrder) {
  const std::string entry = R"(ENTRY e {
    p = s32[4] parameter(0)
    i = s32[3] parameter(1)
    u = s32[3] parameter(2)
    ROOT s = s32[4] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
      index_vector_dim=1, to_apply=f
  })";
  const std::vector<std::string> in = {"s32[4] {1,1,1,1}", "s32[3] {2,0,2}", "s32[3] {10,20,30}"};
  expectEval(combiner("add(old, new)") + entry, in, {"s32[4] {21,1,41,1}"});
  expectEval(combiner("copy(new)") + entry, in, {"s32[4] {20,1,30,1}"});
}

TEST(EvalScatter, AWindowThatReachesOutsideIsSkippedWhole) {
  expectEval(combiner("add(old, new)") + R"(ENTRY e {
    p = s32[4] parameter(0)
    i = s32[3] parameter(1)
    u = s32[3,2] parameter(2)
    ROOT s = s32[4] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0},
      index_vector_dim=1, to_apply=f
  })",
             {"s32[4] {0,0,0,0}", "s32[3] {3,-1,1}", "s32[3,2] {{1,2},{3,4},{5,6}}"}, {"s32[4] {0,5,6,0}"});
}

TEST(EvalScatter, BatchingDimensionsAndTwoOperands) {
  expectEval(R"(
f {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  x = s32[] add(a, c)
  y = f32[] multiply(b, d)
  ROOT t = (s32[], f32[]) tuple(x, y)
}
ENTRY e {
  p = s32[2,3] parameter(0)
  q = f32[2,3] parameter(1)
  i = s32[2,1] parameter(2)
  u = s32[2] parameter(3)
  v = f32[2] parameter(4)
  ROOT s = (s32[2,3], f32[2,3]) scatter(p, q, i, u, v), update_window_dims={}, inserted_window_dims={1},
    scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=f
})",
             {"s32[2,3] {{0,0,0},{0,0,0}}", "f32[2,3] {{1,1,1},{1,1,1}}", "s32[2,1] {{2},{0}}",
              "s32[2] {5,6}", "f32[2] {2,3}"},
             {"s32[2,3] {{0,0,5},{6,0,0}}", "f32[2,3] {{1,1,2},{3,1,1}}"});
}

}  // namespace
}  // namespace hilo
