#include <gtest/gtest.h>

#include "tests/unit/hlo/verify/op_sample.h"

namespace hilo {
namespace {

using Ints = std::vector<int64_t>;

TEST(InferDataMovement, TransposeReverseBroadcast) {
  OpSample transpose, broadcast;
  transpose.with<Attr::Dimensions>(Ints{2, 0, 1});
  EXPECT_EQ(transpose.text(Opcode::Transpose, {dynamicF32({2, 3, 5}, {false, true, false})}), "f32[5,2,<=3]");
  EXPECT_EQ(transpose.text(Opcode::Transpose, {f32({2, 3})}), "attribute-invalid");
  EXPECT_EQ(transpose.text(Opcode::Reverse, {f32({2, 3})}), "dimension-out-of-range");
  broadcast.with<Attr::Dimensions>(Ints{1});
  EXPECT_EQ(broadcast.text(Opcode::Broadcast, {f32({3})}, f32({2, 3})), "f32[2,3]");
  EXPECT_EQ(broadcast.text(Opcode::Broadcast, {f32({3})}, f32({3, 2})), "result-shape");
  EXPECT_EQ(broadcast.text(Opcode::Broadcast, {f32({3})}), "shape-not-inferable");
  EXPECT_EQ(OpSample().text(Opcode::Broadcast, {f32({})}), "f32[]");
}

TEST(InferDataMovement, ReshapeCountsElements) {
  EXPECT_EQ(OpSample().text(Opcode::Reshape, {f32({6, 4})}, f32({2, 12})), "f32[2,12]");
  EXPECT_EQ(OpSample().text(Opcode::Reshape, {f32({6, 4})}, f32({2, 11})), "element-count");
  EXPECT_EQ(OpSample().text(Opcode::Reshape, {f32({6, 4})}, s32({2, 12})), "result-shape");
}

TEST(InferDataMovement, SliceAndPad) {
  OpSample slice, pad;
  slice.with<Attr::Slice>(std::vector<SliceRange>{{1, 8, 3}, {0, 0, 1}});
  EXPECT_EQ(slice.text(Opcode::Slice, {f32({8, 5})}), "f32[3,0]");
  EXPECT_EQ(slice.text(Opcode::Slice, {f32({7, 5})}), "attribute-invalid");
  pad.with<Attr::Padding>(std::vector<PaddingDimension>{{1, -2, 3}});
  EXPECT_EQ(pad.text(Opcode::Pad, {f32({5}), f32({})}), "f32[16]");
  EXPECT_EQ(pad.text(Opcode::Pad, {f32({5}), s32({})}), "operand-type");
  EXPECT_EQ(pad.text(Opcode::Pad, {f32({0}), f32({})}), "attribute-invalid");
}

TEST(InferDataMovement, DynamicSlices) {
  OpSample op;
  op.with<Attr::DynamicSliceSizes>(Ints{2, 5});
  EXPECT_EQ(op.text(Opcode::DynamicSlice, {f32({8, 5}), s32({}), s32({})}), "f32[2,5]");
  EXPECT_EQ(op.text(Opcode::DynamicSlice, {f32({8, 5}), s32({2})}), "f32[2,5]");
  EXPECT_EQ(op.text(Opcode::DynamicSlice, {f32({8, 4}), s32({}), s32({})}), "attribute-invalid");
  EXPECT_EQ(op.text(Opcode::DynamicSlice, {f32({8, 5}), s32({})}), "operand-count");
  EXPECT_EQ(op.text(Opcode::DynamicSlice, {f32({8, 5}), f32({}), f32({})}), "operand-type");
  EXPECT_EQ(OpSample().text(Opcode::DynamicUpdateSlice, {f32({8, 5}), f32({2, 5}), s32({}), s32({})}),
            "f32[8,5]");
  EXPECT_EQ(OpSample().text(Opcode::DynamicUpdateSlice, {f32({8, 5}), f32({2, 6}), s32({}), s32({})}),
            "operand-shape");
}

TEST(InferDataMovement, ConcatenateAddsSizes) {
  OpSample op;
  op.with<Attr::Dimensions>(Ints{1});
  EXPECT_EQ(op.text(Opcode::Concatenate, {f32({2, 3}), f32({2, 4}), f32({2, 0})}), "f32[2,7]");
  EXPECT_EQ(op.text(Opcode::Concatenate, {f32({2, 3}), dynamicF32({2, 4}, {true, true})}), "f32[<=2,<=7]");
  EXPECT_EQ(op.text(Opcode::Concatenate, {f32({2, 3}), f32({3, 3})}), "operand-shape");
  EXPECT_EQ(op.text(Opcode::Concatenate, {f32({2, 3}), s32({2, 3})}), "operand-type");
  EXPECT_EQ(op.text(Opcode::Concatenate, {f32({2, INT64_MAX}), f32({2, 1})}), "operand-shape");
}

TEST(InferDataMovement, DimensionSizes) {
  OpSample op;
  op.with<Attr::Dimensions>(Ints{0});
  EXPECT_EQ(op.text(Opcode::GetDimensionSize, {f32({4})}), "s32[]");
  EXPECT_EQ(op.text(Opcode::SetDimensionSize, {f32({4, 2}), s32({})}), "f32[<=4,2]");
  EXPECT_EQ(op.text(Opcode::SetDimensionSize, {f32({4}), f32({})}), "operand-type");
}

TEST(InferGather, OffsetsBetweenBatchDimensions) {
  // The rows 0..n of a table of embeddings: [100,16] by [5,7] indices.
  OpSample op;
  op.with<Attr::OffsetDims>(Ints{2}).with<Attr::CollapsedSliceDims>(Ints{0}).with<Attr::StartIndexMap>(
      Ints{0});
  op.with<Attr::IndexVectorDim>(2).with<Attr::SliceSizes>(Ints{1, 16});
  EXPECT_EQ(op.text(Opcode::Gather, {f32({100, 16}), s32({5, 7})}), "f32[5,7,16]");
  EXPECT_EQ(op.text(Opcode::Gather, {f32({100, 8}), s32({5, 7})}), "attribute-invalid");
  EXPECT_EQ(op.text(Opcode::Gather, {f32({100, 16}), f32({5, 7})}), "operand-type");
  EXPECT_EQ(op.text(Opcode::Gather, {f32({100, 16}), s32({5})}), "dimension-out-of-range");
}

TEST(InferGather, BatchingDimensionsPairUp) {
  // A row of each of 3 tables.
  const auto gathered = [](int64_t collapsed, int64_t indicesBatch, int64_t count) {
    OpSample op;
    op.with<Attr::OffsetDims>(Ints{1}).with<Attr::CollapsedSliceDims>(Ints{collapsed});
    op.with<Attr::StartIndexMap>(Ints{1}).with<Attr::OperandBatchingDims>(Ints{0});
    op.with<Attr::StartIndicesBatchingDims>(Ints{indicesBatch}).with<Attr::IndexVectorDim>(1);
    op.with<Attr::SliceSizes>(Ints{1, 1, 16});
    return op.text(Opcode::Gather, {f32({3, 100, 16}), s32({count})});
  };
  EXPECT_EQ(gathered(1, 0, 3), "f32[3,16]");
  EXPECT_EQ(gathered(1, 0, 4), "operand-shape");
  EXPECT_EQ(gathered(0, 0, 3), "dimension-repeated");
  EXPECT_EQ(gathered(1, 1, 3), "dimension-repeated");
}

TEST(InferScatter, UpdatesFitTheOperand) {
  OpSample op;
  op.with<Attr::UpdateWindowDims>(Ints{1}).with<Attr::InsertedWindowDims>(Ints{0});
  op.with<Attr::ScatterDimsToOperandDims>(Ints{0}).with<Attr::IndexVectorDim>(1);
  op.with<Attr::ToApply>(op.computation({f32({}), f32({})}, f32({})));
  EXPECT_EQ(op.text(Opcode::Scatter, {f32({100, 16}), s32({5, 1}), f32({5, 16})}), "f32[100,16]");
  EXPECT_EQ(op.text(Opcode::Scatter, {f32({100, 16}), s32({5, 1}), f32({4, 16})}), "operand-shape");
  EXPECT_EQ(op.text(Opcode::Scatter, {f32({100, 16}), s32({5, 1}), f32({5, 17})}), "operand-shape");
  EXPECT_EQ(op.text(Opcode::Scatter, {f32({100, 16}), s32({5, 2}), f32({5, 16})}), "attribute-invalid");
}

}  // namespace
}  // namespace hilo
