// Opcodes by element types: what the evaluator takes the cpu engine compiles, and every conversion gives
// the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "tests/support/module_fuzzer/module_writer.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

std::vector<ElementType> arrayTypes() {
  std::vector<ElementType> types;
  for (int i = 0; i < kElementTypeCount; ++i) {
    if (isArrayElement(static_cast<ElementType>(i))) types.push_back(static_cast<ElementType>(i));
  }
  return types;
}

std::vector<Opcode> elementwiseOpcodes() {
  std::vector<Opcode> opcodes;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool needsAttributes = opcode == Opcode::Compare || opcode == Opcode::ReducePrecision ||
                                 opcode == Opcode::Convert || opcode == Opcode::BitcastConvert ||
                                 opcode == Opcode::StochasticConvert;
    if (isElementwise(opcode) && !needsAttributes) opcodes.push_back(opcode);
  }
  return opcodes;
}

// Names every pair of opcode and type that one engine takes and the other refuses.
TEST(CpuTypes, TakesWhatTheEvaluatorTakes) {
  int taken = 0;
  for (const Opcode opcode : elementwiseOpcodes()) {
    const auto operands = static_cast<size_t>(*opcodeArity(opcode));
    for (const ElementType type : arrayTypes()) {
      const auto result = fuzz::elementwiseResult(opcode, std::vector<ElementType>(operands, type));
      if (!result) continue;
      std::string text = "HloModule m\nENTRY e {\n", names;
      for (size_t i = 0; i < operands; ++i) {
        text += fmt::format("  p{0} = {1}[1] parameter({0})\n", i, elementTypeName(type));
        names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
      }
      text +=
          fmt::format("  ROOT r = {}[1] {}({})\n}}\n", elementTypeName(*result), opcodeName(opcode), names);
      const auto module = parseModuleStrictly(text);
      ASSERT_TRUE(module.has_value());
      const std::vector<Literal> zeros(operands, Literal(Shape::array(type, {1})));
      if (!evaluate(**module, zeros)) continue;
      ++taken;
      for (const Diagnostic& refused : whyNotCompiled(**module))
        ADD_FAILURE() << opcodeName(opcode) << " of " << elementTypeName(type) << ": " << refused.message;
    }
  }
  EXPECT_GT(taken, 600);
}

// Every pattern of up to 8 bits; of wider types the ends of the range, what lies around halves, and a sample.
Literal samples(ElementType type) {
  Literal literal(Shape::array(type, {256}));
  const auto bytes = literal.mutableBytes();
  const auto width = static_cast<size_t>(elementStorageBytes(type));
  uint64_t state = 1;
  for (size_t i = 0; i < 256; ++i) {
    uint64_t bits[2];
    for (uint64_t& part : bits) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      part = state ^ state >> 29;
    }
    if (width == 1) bits[0] = i & ((1u << std::min(8, elementBits(type))) - 1);
    if (type == ElementType::Pred) bits[0] = i & 1;
    if (isSigned(type) && elementBits(type) < 8) {
      const int spare = 8 - elementBits(type);
      bits[0] = static_cast<uint8_t>(static_cast<int8_t>(bits[0] << spare) >> spare);
    }
    // A quarter are small numbers with fractions.
    if (i % 4 == 0 && (type == ElementType::F32 || type == ElementType::F64 || isComplex(type))) {
      const double small = (static_cast<double>(i) - 128) / 8;
      const auto narrow = static_cast<float>(small);
      const bool isDouble = type == ElementType::F64 || type == ElementType::C128;
      isDouble ? std::memcpy(bits, &small, 8) : std::memcpy(bits, &narrow, 4);
    }
    std::memcpy(bytes.data() + i * width, bits, width);
  }
  return literal;
}

TEST(CpuTypes, ConvertsEveryTypeToEveryOther) {
  const auto types = arrayTypes();
  for (const ElementType from : types) {
    std::string text =
        fmt::format("HloModule m\nENTRY e {{\n  p = {}[256] parameter(0)\n", elementTypeName(from));
    std::string names, shapes;
    for (const ElementType to : types) {
      text += fmt::format("  v{0} = {0}[256] convert(p)\n", elementTypeName(to));
      names += fmt::format("{}v{}", names.empty() ? "" : ", ", elementTypeName(to));
      shapes += fmt::format("{}{}[256]", shapes.empty() ? "" : ", ", elementTypeName(to));
    }
    text += fmt::format("  ROOT r = ({}) tuple({})\n}}\n", shapes, names);
    auto parsed = parseModuleStrictly(text);
    ASSERT_TRUE(parsed.has_value()) << toString(parsed.error());
    const std::shared_ptr<const Module> module = *std::move(parsed);
    const std::vector<Literal> arguments = {samples(from)};
    const auto expected = evaluate(*module, arguments);
    const auto got = runOnCpu(module, arguments, {.usesCache = false, .runsPasses = false, .quick = true});
    ASSERT_TRUE(expected.has_value() && got.has_value()) << elementTypeName(from);
    const auto differences = compareLiterals(*got, *expected, {.absolute = 0, .relative = 0});
    ASSERT_TRUE(differences.has_value());
    for (const LiteralDifference& difference : *differences) {
      EXPECT_EQ(difference.mismatches, 0) << elementTypeName(from) << " to " << toString(difference.shape)
                                          << ": " << difference.firstMismatchText;
    }
  }
}

}  // namespace
}  // namespace hilo
