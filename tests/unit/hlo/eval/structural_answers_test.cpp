// Every opcode that is not elementwise against tests/data/eval/structural.txt, and the walk that names what
// is not in there.
#include <set>

#include "core/hlo/eval/devices.h"
#include "tests/support/answers/answer_cases.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

const RunModule kReference = [](const auto& module, std::span<const Literal> arguments) {
  return evaluate(*module, arguments);
};

TEST(StructuralAnswers, AreThoseWorkedOutIndependently) {
  ASSERT_GT(structuralCases().size(), 1000u);
  int wrong = 0;
  for (const StructuralCase& c : structuralCases()) {
    const std::string difference = outcome(c, kReference);
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
  for (const StructuralCase& c : structuralCases()) {
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

// Sorting and choosing the largest need an order; a sum of F8E8M0FNU has no 0 to start from; an image
// is no pred.
bool isLeftOut(const std::string& op, ElementType type) {
  const bool isUnordered = isComplex(type) || type == ElementType::Pred;
  if (op == "sort") return isComplex(type);
  if (op == "select-and-scatter") return isUnordered || type == ElementType::F8E8M0FNU;
  return op == "convolution" && type == ElementType::Pred;
}

TEST(StructuralAnswers, EveryFamilyHasACaseOnEveryType) {
  std::set<std::pair<std::string, std::string>> covered;
  for (const StructuralCase& c : structuralCases()) {
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
