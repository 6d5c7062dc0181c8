#include "core/hlo/verify/shape_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(ShapeRules, EveryOpcodeHasOne) {
  std::vector<std::string_view> missing;
  for (int i = 0; i < kOpcodeCount; ++i) {
    if (shapeRule(static_cast<Opcode>(i)) == nullptr) missing.push_back(opcodeName(static_cast<Opcode>(i)));
  }
  EXPECT_THAT(missing, testing::IsEmpty());
}

TEST(ShapeRules, KindsAreDistinct) {
  std::vector<std::string_view> texts;
  for (int i = 0; i < kVerifyKindCount; ++i) texts.push_back(verifyKindText(static_cast<VerifyKind>(i)));
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

// No rule may read past its operands or trip over missing attributes, whatever it is given.
TEST(ShapeRules, EveryRuleSurvivesBareOperands) {
  const Shape candidates[] = {Shape(),
                              Shape::token(),
                              Shape::opaque(),
                              Shape::scalar(ElementType::F32),
                              Shape::array(ElementType::S32, {2, 3}),
                              Shape::array(ElementType::C64, {0}),
                              Shape::buffer(Shape::array(ElementType::F32, {4}))};
  const AttributeList none;
  int refused = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    for (size_t count = 0; count <= 6; ++count) {
      if (const auto arity = opcodeArity(opcode); arity && static_cast<size_t>(*arity) != count) continue;
      for (const Shape shape : candidates) {
        const std::vector<Shape> operands(count, shape);
        for (const Shape declared : candidates) {
          const OpView op{.opcode = opcode,
                          .opcodeText = opcodeName(opcode),
                          .operands = operands,
                          .attributes = none,
                          .declared = declared};
          refused += !shapeRule(opcode)(op);
        }
        const OpView undeclared{
            .opcode = opcode, .opcodeText = opcodeName(opcode), .operands = operands, .attributes = none};
        refused += !shapeRule(opcode)(undeclared);
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hilo
