#include <gtest/gtest.h>

#include "tests/unit/hlo/verify/op_sample.h"

namespace hilo {
namespace {

using Ints = std::vector<int64_t>;

TEST(InferReduce, DropsTheReducedDimensions) {
  OpSample op;
  op.with<Attr::Dimensions>(Ints{2, 0}).with<Attr::ToApply>(op.computation({f32({}), f32({})}, f32({})));
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5, 7}), f32({})}), "f32[5]");
  EXPECT_EQ(op.text(Opcode::Reduce, {array(ElementType::BF16, {3, 5, 7}), f32({})}), "f32[5]");
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5}), f32({})}), "dimension-out-of-range");
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5, 7}), s32({})}), "called-signature");
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5, 7})}), "operand-count");
}

TEST(InferReduce, SeveralArrays) {
  OpSample op;
  op.with<Attr::Dimensions>(Ints{1});
  op.with<Attr::ToApply>(op.computation({f32({}), s32({}), f32({}), s32({})}, tupleOf({f32({}), s32({})})));
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5}), s32({3, 5}), f32({}), s32({})}), "(f32[3], s32[3])");
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3, 5}), s32({3, 4}), f32({}), s32({})}), "operand-shape");
}

TEST(InferReduce, ComputationMayBeBroken) {
  OpSample op;
  Computation* empty = op.module().createComputation("empty");
  op.with<Attr::Dimensions>(Ints{0}).with<Attr::ToApply>(empty);
  EXPECT_EQ(op.text(Opcode::Reduce, {f32({3}), f32({})}), "computation-incomplete");
  EXPECT_EQ(OpSample().text(Opcode::Reduce, {f32({3}), f32({})}), "attribute-missing");
}

TEST(InferReduceWindow, WindowOverEachDimension) {
  OpSample op;
  const std::vector<WindowDimension> dimensions = {{.size = 1}, {.size = 3, .stride = 2, .paddingHigh = 1}};
  const Window window{dimensions};
  op.with<Attr::Window>(&window).with<Attr::ToApply>(op.computation({f32({}), f32({})}, f32({})));
  EXPECT_EQ(op.text(Opcode::ReduceWindow, {f32({4, 8}), f32({})}), "f32[4,4]");
  EXPECT_EQ(op.text(Opcode::ReduceWindow, {f32({4, 8, 1}), f32({})}), "attribute-invalid");
}

TEST(InferSelectAndScatter, SourceHasTheWindowedShape) {
  OpSample op;
  const std::vector<WindowDimension> dimensions = {{.size = 2, .stride = 2}};
  const Window window{dimensions};
  op.with<Attr::Window>(&window);
  op.with<Attr::Select>(op.computation({f32({}), f32({})}, pred({})));
  op.with<Attr::Scatter>(op.computation({f32({}), f32({})}, f32({})));
  EXPECT_EQ(op.text(Opcode::SelectAndScatter, {f32({8}), f32({4}), f32({})}), "f32[8]");
  EXPECT_EQ(op.text(Opcode::SelectAndScatter, {f32({8}), f32({5}), f32({})}), "operand-shape");
}

TEST(InferSort, OneArrayOrATuple) {
  OpSample one, two;
  one.with<Attr::Dimensions>(Ints{0}).with<Attr::ToApply>(one.computation({f32({}), f32({})}, pred({})));
  EXPECT_EQ(one.text(Opcode::Sort, {f32({9})}), "f32[9]");
  EXPECT_EQ(one.text(Opcode::Sort, {s32({9})}), "called-signature");
  two.with<Attr::Dimensions>(Ints{0});
  two.with<Attr::ToApply>(two.computation({f32({}), f32({}), s32({}), s32({})}, pred({})));
  EXPECT_EQ(two.text(Opcode::Sort, {f32({9}), s32({9})}), "(f32[9], s32[9])");
}

TEST(InferTopK, ValuesAndIndices) {
  OpSample op;
  op.with<Attr::K>(5);
  EXPECT_EQ(op.text(Opcode::TopK, {f32({3, 9})}), "(f32[3,5], s32[3,5])");
  EXPECT_EQ(op.text(Opcode::TopK, {f32({3, 4})}), "attribute-invalid");
}

TEST(InferScan, StacksOutputsAndKeepsCarries) {
  OpSample op;
  op.with<Attr::Dimensions>(Ints{0}).with<Attr::NumCarries>(1);
  op.with<Attr::ToApply>(op.computation({f32({4}), f32({2})}, tupleOf({s32({4}), f32({2})})));
  EXPECT_EQ(op.text(Opcode::Scan, {f32({10, 4}), f32({2})}), "(s32[10,4], f32[2])");
  EXPECT_EQ(op.text(Opcode::Scan, {f32({10, 5}), f32({2})}), "called-signature");
}

TEST(InferMap, ScalarsToScalars) {
  OpSample op;
  op.with<Attr::ToApply>(op.computation({f32({}), f32({})}, s32({})));
  EXPECT_EQ(op.text(Opcode::Map, {f32({3, 4}), f32({3, 4})}), "s32[3,4]");
  EXPECT_EQ(op.text(Opcode::Map, {f32({3, 4}), f32({4, 3})}), "operand-shape");
}

TEST(InferBatchNorm, OneEntryAFeature) {
  OpSample op;
  op.with<Attr::FeatureIndex>(1);
  EXPECT_EQ(op.text(Opcode::BatchNormTraining, {f32({4, 3}), f32({3}), f32({3})}),
            "(f32[4,3], f32[3], f32[3])");
  EXPECT_EQ(op.text(Opcode::BatchNormInference, {f32({4, 3}), f32({3}), f32({3}), f32({3}), f32({3})}),
            "f32[4,3]");
  EXPECT_EQ(op.text(Opcode::BatchNormGrad, {f32({4, 3}), f32({3}), f32({3}), f32({3}), f32({4, 3})}),
            "(f32[4,3], f32[3], f32[3])");
  EXPECT_EQ(op.text(Opcode::BatchNormTraining, {f32({4, 3}), f32({4}), f32({3})}), "operand-shape");
}

}  // namespace
}  // namespace hilo
