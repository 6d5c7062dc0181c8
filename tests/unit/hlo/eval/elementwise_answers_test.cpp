// Every elementwise opcode on every element type against tests/data/eval/elementwise.txt, and the walk that
// names what is not in there.
#include <set>

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/support/answers/known_answers.h"
#include "tests/support/test_files.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

struct Case {
  std::string line, opcode, attributes, result;
  std::vector<std::string> types, operands;
  double tolerance = 0;
  std::string expected;
};

std::vector<Case> readCases() {
  std::vector<Case> cases;
  for (const std::string& line : splitAt(readTestFile("tests/data/eval/elementwise.txt"), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    auto fields = splitAt(line, '|');
    const size_t comma = fields[0].find(',');
    Case read{.line = line.substr(0, 60), .opcode = fields[0].substr(0, comma), .result = fields[2]};
    if (comma != std::string::npos) read.attributes = fields[0].substr(comma);
    read.types = splitAt(fields[1], ',');
    read.tolerance = std::stod(fields[3]);
    read.operands.assign(fields.begin() + 4, fields.end() - 1);
    read.expected = fields.back();
    cases.push_back(std::move(read));
  }
  return cases;
}

const std::vector<Case>& allCases() {
  static const std::vector<Case> cases = readCases();
  return cases;
}

std::string moduleText(const Case& c) {
  const auto count = splitAt(c.expected, ' ').size();
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < c.types.size(); ++i) {
    text += fmt::format("  p{0} = {1}[{2}] parameter({0})\n", i, c.types[i], count);
    names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  return text +
         fmt::format("  ROOT r = {}[{}] {}({}){}\n}}\n", c.result, count, c.opcode, names, c.attributes);
}

std::string outcome(const Case& c) {
  auto module = parseModuleStrictly(moduleText(c));
  if (!module) return toString(module.error());
  std::vector<Literal> arguments;
  for (size_t i = 0; i < c.types.size(); ++i)
    arguments.push_back(literalOfBits((*module)->entry()->parameters()[i]->shape(), c.operands[i]));
  const auto result = evaluate(**module, arguments);
  if (!result) return toString(result.error());
  return differenceFrom(*result, c.expected, c.tolerance);
}

TEST(ElementwiseAnswers, AreThoseWorkedOutIndependently) {
  ASSERT_GT(allCases().size(), 2000u);
  int wrong = 0;
  for (const Case& c : allCases()) {
    const std::string difference = outcome(c);
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
  for (const Case& c : allCases()) {
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
