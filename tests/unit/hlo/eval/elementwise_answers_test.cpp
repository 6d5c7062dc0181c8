// Every elementwise opcode on every element type against tests/data/eval/elementwise.txt, and the walk that
// names what is not in there.
#include <set>

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/support/answers/answer_cases.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

const RunModule kReference = [](const auto& module, std::span<const Literal> arguments) {
  return evaluate(*module, arguments);
};

TEST(ElementwiseAnswers, AreThoseWorkedOutIndependently) {
  ASSERT_GT(elementwiseCases().size(), 2000u);
  int wrong = 0;
  for (const ElementwiseCase& c : elementwiseCases()) {
    const std::string difference = outcome(c, kReference);
    EXPECT_EQ(difference, "") << c.line;
    if (!difference.empty() && ++wrong == 100) FAIL() << "and maybe more";
  }
}

// What XLA's shape inference lets through and its evaluator refuses, as this one does.
bool hasNoMeaning(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Remainder:
    case Opcode::Clamp:
      return isComplex(type);
    case Opcode::Atan2:
      return isIntegral(type);
    case Opcode::Mulhi:
    case Opcode::ShiftLeft:
    case Opcode::ShiftRightArithmetic:
    case Opcode::ShiftRightLogical:
      return !isIntegral(type);
    default:
      return false;
  }
}

// These have cases, of their own element types; the rules of which are not those of the others.
bool hasRulesOfItsOwn(Opcode opcode) {
  return opcode == Opcode::Convert || opcode == Opcode::BitcastConvert ||
         opcode == Opcode::StochasticConvert || opcode == Opcode::ReducePrecision;
}

TEST(ElementwiseAnswers, EveryOpcodeAndTypeThatXlaTakesHasACase) {
  std::set<std::pair<std::string, std::string>> covered, convertPairs;
  for (const ElementwiseCase& c : elementwiseCases()) {
    covered.emplace(c.opcode, c.types.back());
    if (c.opcode == "convert") convertPairs.emplace(c.types[0], c.result);
  }
  for (int o = 0; o < kOpcodeCount; ++o) {
    const auto opcode = static_cast<Opcode>(o);
    const auto arity = opcodeArity(opcode);
    if (!isElementwise(opcode) || !arity || hasRulesOfItsOwn(opcode)) continue;
    for (int t = 0; t < kElementTypeCount; ++t) {
      const auto type = static_cast<ElementType>(t);
      if (!isArrayElement(type) || hasNoMeaning(opcode, type)) continue;
      std::vector<Shape> operands(static_cast<size_t>(*arity), Shape::array(type, {2}));
      if (opcode == Opcode::Select) operands[0] = Shape::array(ElementType::Pred, {2});
      if (!inferShape(opcode, operands, AttributeList())) continue;
      EXPECT_TRUE(covered.contains({std::string(opcodeName(opcode)), std::string(elementTypeName(type))}))
          << "no case of " << opcodeName(opcode) << " on " << elementTypeName(type);
    }
  }
  for (int from = 0; from < kElementTypeCount; ++from) {
    for (int to = 0; to < kElementTypeCount; ++to) {
      const auto a = static_cast<ElementType>(from), b = static_cast<ElementType>(to);
      if (!isArrayElement(a) || !isArrayElement(b)) continue;
      EXPECT_TRUE(convertPairs.contains({std::string(elementTypeName(a)), std::string(elementTypeName(b))}))
          << "no conversion from " << elementTypeName(a) << " to " << elementTypeName(b);
    }
  }
  for (const Opcode opcode : {Opcode::ReducePrecision, Opcode::StochasticConvert}) {
    EXPECT_TRUE(covered.lower_bound({std::string(opcodeName(opcode)), ""})->first == opcodeName(opcode))
        << "no case of " << opcodeName(opcode);
  }
}

}  // namespace
}  // namespace hilo
