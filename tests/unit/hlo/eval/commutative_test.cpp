// An operation is called commutative where its operands may change places: held to the evaluator on
// values that tell.
#include <gtest/gtest.h>

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/op_facts.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// Both orders of the operands side by side; nullopt where the type has no such operation.
std::optional<bool> isSameBothWays(std::string_view opcode, const std::string& type, const std::string& a,
                                   const std::string& b) {
  const auto text = [&](const char* operands) {
    return "HloModule m\nENTRY e {\n  a = " + type + " constant(" + a + ")\n  b = " + type + " constant(" +
           b + ")\n  ROOT r = " + type + " " + std::string(opcode) + "(" + operands + ")\n}\n";
  };
  auto forward = parseModuleStrictly(text("a, b")), back = parseModuleStrictly(text("b, a"));
  if (!forward || !back) return std::nullopt;
  const auto first = evaluate(**forward, {}), second = evaluate(**back, {});
  if (!first || !second) return std::nullopt;
  return std::ranges::equal(first->bytes(), second->bytes());
}

TEST(Commutative, AsTheEvaluatorAnswers) {
  int asked = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool hasOneForm = opcode != Opcode::Compare && opcode != Opcode::Complex &&
                            opcode != Opcode::StochasticConvert;  // need attributes or other result types
    if (opcodeClass(opcode) != OpcodeClass::ElementwiseBinary || !hasOneForm) continue;
    std::optional<bool> same;
    for (const auto& [type, a, b] : {std::tuple{"s32[4]", "{5, -3, 7, 1}", "{2, 4, -6, 30}"},
                                     {"f32[4]", "{1.5, 3, 2, 0.25}", "{2, 0.5, 5, 7}"}}) {
      const auto answer = isSameBothWays(opcodeName(opcode), type, a, b);
      if (answer) same = same.value_or(true) && *answer;
    }
    ASSERT_TRUE(same.has_value()) << opcodeName(opcode);
    EXPECT_EQ(*same, hasFact(opcode, OpFact::Commutative)) << opcodeName(opcode);
    ++asked;
  }
  EXPECT_EQ(asked, 16);
}

}  // namespace
}  // namespace hilo
