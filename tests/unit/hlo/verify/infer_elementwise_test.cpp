#include <gtest/gtest.h>

#include "tests/unit/hlo/verify/op_sample.h"

namespace hilo {
namespace {

std::string binary(Opcode opcode, Shape a, Shape b) { return OpSample().text(opcode, {a, b}); }
std::string unary(Opcode opcode, Shape a) { return OpSample().text(opcode, {a}); }

TEST(InferElementwise, UnaryElementTypes) {
  EXPECT_EQ(unary(Opcode::Tanh, f32({2, 3})), "f32[2,3]");
  EXPECT_EQ(unary(Opcode::Tanh, s32({2})), "operand-type");
  EXPECT_EQ(unary(Opcode::Abs, array(ElementType::C128, {2})), "f64[2]");
  EXPECT_EQ(unary(Opcode::Abs, array(ElementType::U8, {2})), "operand-type");
  EXPECT_EQ(unary(Opcode::Imag, array(ElementType::C64, {})), "f32[]");
  EXPECT_EQ(unary(Opcode::IsFinite, array(ElementType::BF16, {4})), "pred[4]");
  EXPECT_EQ(unary(Opcode::Not, array(ElementType::F32, {4})), "operand-type");
  EXPECT_EQ(unary(Opcode::Negate, tupleOf({f32({1})})), "operand-type");
}

TEST(InferElementwise, KeepsTheOperandsLayout) {
  Layout columns;
  columns.minorToMajor = {0, 1};
  const Shape shape = f32({2, 3}).withLayout(&columns);
  EXPECT_EQ(unary(Opcode::Negate, shape), "f32[2,3]{0,1}");
  EXPECT_EQ(binary(Opcode::Add, shape, f32({2, 3})), "f32[2,3]{0,1}");
}

TEST(InferElementwise, BinaryTakesTheWiderFloat) {
  EXPECT_EQ(binary(Opcode::Add, array(ElementType::BF16, {8}), f32({8})), "f32[8]");
  EXPECT_EQ(binary(Opcode::Add, array(ElementType::F16, {8}), array(ElementType::BF16, {8})), "bf16[8]");
  EXPECT_EQ(binary(Opcode::Add, s32({8}), f32({8})), "operand-type");
  EXPECT_EQ(binary(Opcode::Compare, f32({8}), f32({8})), "pred[8]");
  EXPECT_EQ(binary(Opcode::Subtract, pred({8}), pred({8})), "operand-type");
  EXPECT_EQ(binary(Opcode::Complex, f32({8}), f32({8})), "c64[8]");
  EXPECT_EQ(binary(Opcode::Complex, array(ElementType::BF16, {8}), array(ElementType::BF16, {8})),
            "operand-type");
}

TEST(InferElementwise, NoImplicitBroadcast) {
  EXPECT_EQ(binary(Opcode::Add, f32({8}), f32({})), "implicit-broadcast");
  EXPECT_EQ(binary(Opcode::Add, f32({8, 1}), f32({8, 4})), "implicit-broadcast");
  EXPECT_EQ(OpSample().text(Opcode::Add, {f32({8})}), "operand-count");
}

TEST(InferElementwise, DynamicDimensionsJoin) {
  const Shape bounded = dynamicF32({8, 4}, {true, false});
  EXPECT_EQ(binary(Opcode::Add, f32({8, 4}), bounded), "f32[<=8,4]");
  EXPECT_EQ(binary(Opcode::Add, dynamicF32({kUnboundedSize, 4}, {true, false}), bounded), "f32[<=8,4]");
  EXPECT_EQ(OpSample().text(Opcode::Select, {pred({8, 4}), f32({8, 4}), bounded}), "f32[<=8,4]");
}

TEST(InferElementwise, ClampAndSelect) {
  EXPECT_EQ(OpSample().text(Opcode::Clamp, {f32({}), f32({4}), f32({4})}), "f32[4]");
  EXPECT_EQ(OpSample().text(Opcode::Clamp, {f32({3}), f32({4}), f32({4})}), "operand-shape");
  EXPECT_EQ(OpSample().text(Opcode::Select, {pred({}), f32({4}), f32({4})}), "f32[4]");
  EXPECT_EQ(OpSample().text(Opcode::Select, {pred({3}), f32({4}), f32({4})}), "operand-shape");
  EXPECT_EQ(OpSample().text(Opcode::Select, {s32({4}), f32({4}), f32({4})}), "operand-type");
}

TEST(InferElementwise, ConversionsNeedTheirType) {
  EXPECT_EQ(OpSample().text(Opcode::Convert, {f32({4})}), "shape-not-inferable");
  EXPECT_EQ(OpSample().text(Opcode::Convert, {f32({4})}, s32({9})), "s32[4]");
  const Shape bytes = array(ElementType::U8, {3, 4});
  EXPECT_EQ(OpSample().text(Opcode::BitcastConvert, {bytes}, s32({3})), "s32[3]");
  EXPECT_EQ(OpSample().text(Opcode::BitcastConvert, {s32({3})}, bytes), "u8[3,4]");
  EXPECT_EQ(OpSample().text(Opcode::BitcastConvert, {array(ElementType::U8, {3, 2})}, s32({3})),
            "operand-shape");
  EXPECT_EQ(
      OpSample().text(Opcode::BitcastConvert, {array(ElementType::C64, {3})}, array(ElementType::S64, {3})),
      "result-shape");
}

}  // namespace
}  // namespace hilo
