// Every opcode that is not elementwise against tests/data/eval/structural.txt, and the walk that names what
// is not in there.
#include <set>

#include "core/hlo/eval/devices.h"
#include "tests/support/answers/known_answers.h"
#include "tests/support/test_files.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// An array: its shape and the bits of its elements.
struct Values {
  std::string shape, bits;
};

struct Case {
  std::string name, text;
  size_t line = 0;
  double tolerance = 0;
  bool absolute = false;  // of values, not of units in the last place
  std::vector<Values> inputs, outputs;
};

Values valuesOf(const std::string& line) {
  const size_t bar = line.find(" | ");
  return {line.substr(2, bar - 2), line.substr(bar + 3)};
}

std::vector<Case> readCases() {
  std::vector<Case> cases;
  size_t number = 0;
  for (const std::string& line : splitAt(readTestFile("tests/data/eval/structural.txt"), '\n')) {
    ++number;
    if (line.starts_with("#") || line.empty()) continue;
    if (line.starts_with("== ")) {
      const size_t bar = line.find(" | ");
      Case begun{.name = line.substr(3, bar - 3), .line = number};
      std::string tolerance = line.substr(bar + 3);
      begun.absolute = tolerance[0] == 'a';
      begun.tolerance = std::stod(tolerance.substr(begun.absolute ? 1 : 0));
      cases.push_back(std::move(begun));
    } else if (line.starts_with("< ")) {
      cases.back().inputs.push_back(valuesOf(line));
    } else if (line.starts_with("> ")) {
      cases.back().outputs.push_back(valuesOf(line));
    } else {
      cases.back().text += line + "\n";
    }
  }
  return cases;
}

const std::vector<Case>& allCases() {
  static const std::vector<Case> cases = readCases();
  return cases;
}

Result<std::unique_ptr<Module>> moduleOf(const Case& c) {
  const bool whole = c.text.find("ENTRY") != std::string::npos;
  return parseModuleStrictly(whole ? "HloModule m\n" + c.text : "HloModule m\nENTRY e {\n" + c.text + "}\n");
}

std::string outcome(const Case& c) {
  auto module = moduleOf(c);
  if (!module) return toString(module.error());
  std::vector<Literal> arguments;
  for (const Values& input : c.inputs)
    arguments.push_back(literalOfBits(parseShape(input.shape).value(), input.bits));
  const auto result = evaluate(**module, arguments);
  if (!result) return toString(result.error());
  const size_t parts = result->isTuple() ? result->elements().size() : 1;
  if (parts != c.outputs.size()) return fmt::format("{} arrays, expected {}", parts, c.outputs.size());
  for (size_t i = 0; i < parts; ++i) {
    const Literal& got = part(*result, i);
    if (const std::string shape = toString(got.shape().withoutLayout()); shape != c.outputs[i].shape)
      return fmt::format("result {} is {}, expected {}", i, shape, c.outputs[i].shape);
    const std::string difference = c.absolute ? distanceFrom(got, c.outputs[i].bits, c.tolerance)
                                              : differenceFrom(got, c.outputs[i].bits, c.tolerance);
    if (!difference.empty()) return fmt::format("result {}{}", i, difference);
  }
  return "";
}

TEST(StructuralAnswers, AreThoseWorkedOutIndependently) {
  ASSERT_GT(allCases().size(), 1000u);
  int wrong = 0;
  for (const Case& c : allCases()) {
    const std::string difference = outcome(c);
    EXPECT_EQ(difference, "") << c.name << ", line " << c.line << " of structural.txt\n" << c.text;
    if (!difference.empty() && ++wrong == 40) FAIL() << "and maybe more";
  }
}

// Tested by other means: where, is said.
bool isTestedElsewhere(Opcode opcode) {
  switch (opcode) {
    case Opcode::Rng:                   // random_test: XLA promises no bits
    case Opcode::RngGetAndUpdateState:  // random_test
    case Opcode::DynamicReshape:        // data_movement_test
    case Opcode::CustomCall:            // table_test, sort_test
    case Opcode::Opaque:                // refused
      return true;
    default:
      break;
  }
  switch (opcodeClass(opcode)) {
    case OpcodeClass::ElementwiseUnary:  // elementwise_answers_test
    case OpcodeClass::ElementwiseBinary:
    case OpcodeClass::ElementwiseTernary:
    case OpcodeClass::Collective:     // devices_test
    case OpcodeClass::Communication:  // exchange_test
    case OpcodeClass::Async:          // control_flow_test, devices_test
    case OpcodeClass::Ordering:       // control_flow_test, devices_test
      return true;
    default:
      return false;
  }
}

TEST(StructuralAnswers, EveryOpcodeHasACase) {
  std::set<Opcode> covered;
  for (const Case& c : allCases()) {
    auto module = moduleOf(c);
    ASSERT_TRUE(module.has_value()) << toString(module.error());
    for (const Computation* computation : (*module)->computations()) {
      for (const Instruction* instruction : computation->instructions())
        covered.insert(instruction->opcode());
    }
  }
  for (int o = 0; o < kOpcodeCount; ++o) {
    const auto opcode = static_cast<Opcode>(o);
    EXPECT_TRUE(isTestedElsewhere(opcode) || covered.contains(opcode)) << "no case of " << opcodeName(opcode);
  }
}

// Sorting and choosing the largest need an order; a sum of F8E8M0FNU has no 0 to start from; an image is no
// pred.
bool isLeftOut(const std::string& op, ElementType type) {
  const bool isUnordered = isComplex(type) || type == ElementType::Pred;
  if (op == "sort") return isComplex(type);
  if (op == "select-and-scatter") return isUnordered || type == ElementType::F8E8M0FNU;
  return op == "convolution" && type == ElementType::Pred;
}

TEST(StructuralAnswers, EveryFamilyHasACaseOnEveryType) {
  std::set<std::pair<std::string, std::string>> covered;
  for (const Case& c : allCases()) {
    if (!c.inputs.empty()) covered.emplace(c.name, c.inputs[0].shape.substr(0, c.inputs[0].shape.find('[')));
  }
  for (const char* op : {"transpose", "reshape", "copy", "bitcast", "broadcast", "reverse", "slice",
                         "concatenate", "pad", "dynamic-slice", "dynamic-update-slice", "gather", "while"}) {
    for (int t = 0; t < kElementTypeCount; ++t) {
      const auto type = static_cast<ElementType>(t);
      if (!isArrayElement(type) || isLeftOut(op, type)) continue;
      EXPECT_TRUE(covered.contains({op, std::string(elementTypeName(type))}))
          << "no case of " << op << " on " << elementTypeName(type);
    }
  }
}

}  // namespace
}  // namespace hilo
