#include <gtest/gtest.h>

#include "tests/unit/hlo/verify/op_sample.h"

namespace hilo {
namespace {

using Ints = std::vector<int64_t>;

OpSample& dotDimensions(OpSample& op, Ints lhsBatch, Ints lhsContracting, Ints rhsBatch,
                        Ints rhsContracting) {
  return op.with<Attr::LhsBatchDims>(lhsBatch)
      .with<Attr::LhsContractingDims>(lhsContracting)
      .with<Attr::RhsBatchDims>(rhsBatch)
      .with<Attr::RhsContractingDims>(rhsContracting);
}

TEST(InferDot, BatchThenLeftThenRight) {
  OpSample op;
  dotDimensions(op, {1}, {2}, {0}, {1});
  EXPECT_EQ(op.text(Opcode::Dot, {f32({5, 7, 3}), f32({7, 3, 11})}), "f32[7,5,11]");
  EXPECT_EQ(op.text(Opcode::Dot, {f32({5, 7, 3}), f32({7, 4, 11})}), "operand-shape");
  const Shape low = array(ElementType::F8E4M3FN, {5, 7, 3});
  EXPECT_EQ(op.text(Opcode::Dot, {low, f32({7, 3, 11})}, array(ElementType::BF16, {7, 5, 11})),
            "bf16[7,5,11]");
}

TEST(InferDot, RefusesBadDimensions) {
  OpSample outOfRange, twice, unpaired;
  dotDimensions(outOfRange, {}, {2}, {}, {0});
  EXPECT_EQ(outOfRange.text(Opcode::Dot, {f32({5, 7}), f32({7, 5})}), "dimension-out-of-range");
  dotDimensions(twice, {1}, {1}, {0}, {0});
  EXPECT_EQ(twice.text(Opcode::Dot, {f32({5, 7}), f32({7, 5})}), "dimension-repeated");
  dotDimensions(unpaired, {}, {1}, {}, {});
  EXPECT_EQ(unpaired.text(Opcode::Dot, {f32({5, 7}), f32({7, 5})}), "attribute-invalid");
}

TEST(InferRaggedDot, ModesFollowTheRaggedDimension) {
  // Rows in groups, one right matrix a group: [9,5] x [2,5,7] with 2 groups.
  OpSample rows;
  dotDimensions(rows, {}, {1}, {}, {1});
  rows.with<Attr::LhsRaggedDims>(Ints{0}).with<Attr::RhsGroupDims>(Ints{0});
  EXPECT_EQ(rows.text(Opcode::RaggedDot, {f32({9, 5}), f32({2, 5, 7}), s32({2})}), "f32[9,7]");
  EXPECT_EQ(rows.text(Opcode::RaggedDot, {f32({9, 5}), f32({3, 5, 7}), s32({2})}), "operand-shape");
  // Contracted in groups: a result for each group.
  OpSample contracted;
  dotDimensions(contracted, {}, {1}, {}, {0});
  contracted.with<Attr::LhsRaggedDims>(Ints{1});
  EXPECT_EQ(contracted.text(Opcode::RaggedDot, {f32({9, 5}), f32({5, 7}), s32({4})}), "f32[4,9,7]");
}

TEST(InferScaledDot, ScalesDivideTheirOperands) {
  OpSample op;
  dotDimensions(op, {}, {1}, {}, {1});
  const Shape lhs = array(ElementType::F8E4M3FN, {8, 64}), rhs = array(ElementType::F8E4M3FN, {16, 64});
  const Shape lhsScale = array(ElementType::F8E8M0FNU, {8, 2}),
              rhsScale = array(ElementType::F8E8M0FNU, {16, 2});
  EXPECT_EQ(op.text(Opcode::ScaledDot, {lhs, rhs, lhsScale, rhsScale}, f32({8, 16})), "f32[8,16]");
  EXPECT_EQ(op.text(Opcode::ScaledDot, {lhs, rhs, array(ElementType::F8E8M0FNU, {8, 3}), rhsScale}),
            "operand-shape");
}

struct ConvolutionSample {
  OpSample op;
  // Input and output b01f, kernel 01io, with this window.
  ConvolutionSample(std::vector<WindowDimension> window, int64_t featureGroups = 1, int64_t batchGroups = 1,
                    ConvolutionKind kind = ConvolutionKind::Unset) {
    static const Ints kMiddle = {1, 2}, kFirst = {0, 1};
    const ConvolutionDimensionNumbers numbers{.inputBatch = 0,
                                              .inputFeature = 3,
                                              .inputSpatial = kMiddle,
                                              .kernelInputFeature = 2,
                                              .kernelOutputFeature = 3,
                                              .kernelSpatial = kFirst,
                                              .outputBatch = 0,
                                              .outputFeature = 3,
                                              .outputSpatial = kMiddle};
    const Window payload{window};
    op.with<Attr::Window>(&payload).with<Attr::DimLabels>(&numbers);
    op.with<Attr::FeatureGroupCount>(featureGroups).with<Attr::BatchGroupCount>(batchGroups);
    op.with<Attr::ConvolutionKindKind>(kind);
  }
};

TEST(InferConvolution, WindowSizes) {
  // 32 padded by 3 and 3 is 38, minus a window of 7 is 31, by steps of 2: 16. Base 5 dilated by 2 is 9,
  // minus 3: 7.
  ConvolutionSample c(
      {{.size = 7, .stride = 2, .paddingLow = 3, .paddingHigh = 3}, {.size = 3, .baseDilation = 2}});
  EXPECT_EQ(c.op.text(Opcode::Convolution, {f32({8, 32, 5, 4}), f32({7, 3, 4, 64})}), "f32[8,16,7,64]");
  EXPECT_EQ(c.op.text(Opcode::Convolution, {f32({8, 32, 5, 4}), f32({7, 2, 4, 64})}), "operand-shape");
  EXPECT_EQ(c.op.text(Opcode::Convolution, {f32({8, 32, 5, 3}), f32({7, 3, 4, 64})}), "operand-shape");
  EXPECT_EQ(c.op.text(Opcode::Convolution, {f32({8, 32, 5}), f32({7, 3, 4, 64})}), "operand-shape");
}

TEST(InferConvolution, Groups) {
  ConvolutionSample depthwise({{.size = 1}, {.size = 1}}, 4);
  EXPECT_EQ(depthwise.op.text(Opcode::Convolution, {f32({2, 5, 5, 4}), f32({1, 1, 1, 8})}), "f32[2,5,5,8]");
  ConvolutionSample batch({{.size = 1}, {.size = 1}}, 1, 2);
  EXPECT_EQ(batch.op.text(Opcode::Convolution, {f32({6, 5, 5, 4}), f32({1, 1, 4, 8})}), "f32[3,5,5,8]");
  ConvolutionSample both({{.size = 1}, {.size = 1}}, 2, 2);
  EXPECT_EQ(both.op.text(Opcode::Convolution, {f32({6, 5, 5, 4}), f32({1, 1, 4, 8})}), "attribute-invalid");
}

TEST(InferConvolution, HostileWindows) {
  ConvolutionSample huge({{.size = INT64_MAX, .windowDilation = INT64_MAX}, {.size = 1}});
  EXPECT_EQ(huge.op.text(Opcode::Convolution, {f32({8, 32, 5, 4}), f32({1, 1, 4, 64})}), "operand-shape");
  ConvolutionSample padded({{.size = 1, .paddingLow = INT64_MIN, .paddingHigh = -1}, {.size = 1}});
  EXPECT_EQ(padded.op.text(Opcode::Convolution, {f32({8, 32, 5, 4}), f32({1, 1, 4, 64})}),
            "attribute-invalid");
  ConvolutionSample zero({{.size = 0, .stride = 0}, {.size = 1}});
  EXPECT_EQ(zero.op.text(Opcode::Convolution, {f32({8, 32, 5, 4}), f32({0, 1, 4, 64})}), "attribute-invalid");
}

TEST(InferLinearAlgebra, FftSizes) {
  OpSample forward, inverse;
  forward.with<Attr::FftTypeKind>(FftType::Rfft).with<Attr::FftLength>(Ints{4, 10});
  EXPECT_EQ(forward.text(Opcode::Fft, {f32({3, 4, 10})}), "c64[3,4,6]");
  EXPECT_EQ(forward.text(Opcode::Fft, {f32({3, 4, 9})}), "operand-shape");
  inverse.with<Attr::FftTypeKind>(FftType::Irfft).with<Attr::FftLength>(Ints{10});
  EXPECT_EQ(inverse.text(Opcode::Fft, {array(ElementType::C128, {3, 6})}), "f64[3,10]");
}

TEST(InferLinearAlgebra, SquareMatrices) {
  OpSample solve;
  solve.with<Attr::LeftSide>(true);
  EXPECT_EQ(solve.text(Opcode::TriangularSolve, {f32({2, 5, 5}), f32({2, 5, 3})}), "f32[2,5,3]");
  EXPECT_EQ(solve.text(Opcode::TriangularSolve, {f32({2, 5, 5}), f32({2, 3, 5})}), "operand-shape");
  EXPECT_EQ(OpSample().text(Opcode::Cholesky, {f32({2, 5, 4})}), "operand-shape");
}

}  // namespace
}  // namespace hilo
