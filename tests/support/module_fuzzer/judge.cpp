#include "tests/support/module_fuzzer/judge.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <cmath>

#include "core/base/check.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/text/print.h"
#include "core/workspace/reduce/reduce.h"

namespace hilo::fuzz {
namespace {

struct Numbers {
  uint64_t state;
  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 29;
  }
};

// A double, or for whole numbers sometimes any 64 bits.
void fill(Literal& literal, Numbers& numbers, bool calm) {
  const Shape shape = literal.shape();
  const ElementType type = shape.elementType();
  const auto count = static_cast<size_t>(shape.elementCount());
  if (isIntegral(type) && !calm && numbers.next() % 4 == 0) {
    std::vector<uint64_t> values(count);
    for (uint64_t& value : values) value = numbers.next() << 29 ^ numbers.next();
    return convertElements(literal.mutableBytes().data(), type, values.data(), ElementType::U64,
                           shape.elementCount());
  }
  constexpr double kWild[] = {INFINITY, -INFINITY, NAN, -0.0, 1e-40, 300, -200, 0x1p-130};
  std::vector<double> values(isComplex(type) ? 2 * count : count);
  for (double& value : values) {
    value = (static_cast<double>(numbers.next() % 33) - 16) / 4;
    if (isIntegral(type)) value = std::trunc(value);
    if (!calm && numbers.next() % 12 == 0) value = kWild[numbers.next() % std::size(kWild)];
  }
  convertElements(literal.mutableBytes().data(), type, values.data(),
                  isComplex(type) ? ElementType::C128 : ElementType::F64, shape.elementCount());
}

std::vector<Literal> makeArguments(const Module& module, uint64_t seed, bool calm) {
  Numbers numbers{seed * 2 + 1};
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    arguments.emplace_back(parameter->shape());
    fill(arguments.back(), numbers, calm);
  }
  return arguments;
}

// Operations on many elements, whose terms may cancel: what they lose is measured by the largest of them.
bool mayCancel(const Instruction& instruction) {
  switch (opcodeClass(instruction.opcode())) {
    case OpcodeClass::Async:
    case OpcodeClass::Contraction:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::Fusion:
    case OpcodeClass::Reduction:
      return true;
    default:
      return isComplex(instruction.shape().isTuple() ? ElementType::F32 : instruction.shape().elementType());
  }
}

// Of floats; complex numbers part by part.
std::vector<double> asDoubles(const Literal& literal) {
  const ElementType type = literal.shape().elementType();
  const auto count = static_cast<size_t>(literal.shape().elementCount());
  std::vector<double> values(isComplex(type) ? 2 * count : count);
  convertElements(values.data(), isComplex(type) ? ElementType::C128 : ElementType::F64,
                  literal.bytes().data(), type, literal.shape().elementCount());
  return values;
}

double largest(const Literal& literal) {
  double most = 0;
  if (literal.isTuple()) {
    for (const Literal& element : literal.elements()) most = std::max(most, largest(element));
    return most;
  }
  const ElementType type = literal.shape().elementType();
  if (!literal.shape().isArray() || (!isFloat(type) && !isComplex(type))) return 0;
  for (const double value : asDoubles(literal)) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

bool isFinite(const Literal& literal) {
  if (literal.isTuple()) return std::ranges::all_of(literal.elements(), isFinite);
  const ElementType type = literal.shape().elementType();
  if (!literal.shape().isArray() || (!isFloat(type) && !isComplex(type))) return true;
  return std::ranges::all_of(asDoubles(literal), [](double value) { return std::isfinite(value); });
}

// Algorithms that multiply by what they could leave out, or not: where one number is not finite, how many of
// the others become NaN is nobody's promise.
bool spreadsNan(Opcode opcode) {
  return opcode == Opcode::Fft || opcode == Opcode::RaggedDot || opcode == Opcode::Cholesky ||
         opcode == Opcode::TriangularSolve;
}

// "" when the value agrees.
std::string stepDifference(const Instruction& instruction, const Literal& got, const Literal& expected,
                           const std::vector<const Literal*>& operands) {
  const std::string plain = difference(got, expected, {});
  if (plain.empty() || !mayCancel(instruction) || got.isTuple()) return plain;
  if (spreadsNan(instruction.opcode()) &&
      !std::ranges::all_of(operands, [](const Literal* operand) { return isFinite(*operand); }))
    return "";
  double scale = 1;
  for (const Literal* operand : operands) scale = std::max(scale, largest(*operand));
  const ElementType type = got.shape().elementType();
  if (!isFloat(type) && !isComplex(type)) return plain;
  CompareTolerance wider = defaultTolerance(type);
  wider.absolute *= 8 * scale * scale;
  wider.relative *= 8;
  return difference(got, expected, wider);
}

using Values = absl::flat_hash_map<const Instruction*, Literal>;

}  // namespace

std::string difference(const Literal& got, const Literal& expected, const CompareTolerance& tolerance) {
  const auto compared = compareLiterals(got, expected, tolerance);
  if (!compared) return toString(compared.error());
  for (const LiteralDifference& array : *compared) {
    if (array.mismatches > 0)
      return fmt::format("{}: {} of {} elements, first {}", toString(array.shape), array.mismatches,
                         array.elements, array.firstMismatchText);
  }
  return "";
}

Verdict verdictOf(const Diagnostic& error) {
  return {error.kind.starts_with("unsupported-") ? Outcome::Refused : Outcome::Differs, toString(error)};
}

std::vector<Literal> makeCalmArguments(const Module& module, uint64_t seed) {
  return makeArguments(module, seed, true);
}
std::vector<Literal> makeWildArguments(const Module& module, uint64_t seed) {
  return makeArguments(module, seed, false);
}

Verdict judgeResults(const Case& c, const RunModule& engine) {
  const auto expected = evaluate(*c.module, c.arguments);
  const auto got = engine(c.module, c.arguments);
  if (!got) return verdictOf(got.error());
  if (!expected) return {Outcome::Refused, toString(expected.error())};
  const std::string why = difference(*got, *expected, {});
  return {why.empty() ? Outcome::Agrees : Outcome::Differs, why};
}

Verdict judgeSteps(const Case& c, const RunModule& engine) {
  const auto got = engine(c.module, c.arguments);
  if (!got) return verdictOf(got.error());
  const Instruction& root = *c.module->entry()->root();
  Values given, values;
  if (root.opcode() == Opcode::Tuple) {
    for (size_t i = 0; i < root.operandCount(); ++i) given[root.operand(i)] = got->elements()[i];
  } else {
    given[&root] = *got;
  }
  for (const Instruction* instruction : c.module->entry()->instructions()) {
    if (instruction->opcode() == Opcode::Parameter) {
      values[instruction] = c.arguments[static_cast<size_t>(instruction->parameterNumber())];
      continue;
    }
    if (instruction == &root && root.opcode() == Opcode::Tuple) continue;
    std::vector<const Literal*> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(&values.at(operand));
    auto expected = evaluateInstruction(*instruction, operands);
    if (!expected) return {Outcome::Refused, toString(expected.error())};
    const auto own = given.find(instruction);
    if (own == given.end()) {
      values[instruction] = *std::move(expected);
      continue;
    }
    const std::string why = stepDifference(*instruction, own->second, *expected, operands);
    if (!why.empty()) return {Outcome::Differs, fmt::format("{}: {}", instruction->name(), why)};
    values[instruction] = own->second;
  }
  return {};
}

namespace {

// What the judge says, as a sight.
class JudgeWatcher : public Watcher {
 public:
  JudgeWatcher(const RunModule& engine, Judge judge) : engine_(engine), judge_(judge) {}
  Result<Observation> look(const WatchedCase& watched, const JobContext&) override {
    const Verdict verdict = judge_({watched.module, watched.arguments}, engine_);
    if (verdict.outcome == Outcome::Agrees) return Observation{};
    if (verdict.outcome == Outcome::Refused) return Observation{Sight::Unknown, {}, verdict.why};
    return Observation{Sight::Bad, "differs", verdict.why};
  }

 private:
  const RunModule& engine_;
  const Judge judge_;
};

}  // namespace

Case shrink(const Case& c, const RunModule& engine, Judge judge) {
  JudgeWatcher watcher(engine, judge);
  auto reduced = reduce({.module = c.module, .arguments = c.arguments}, watcher, {});
  if (!reduced) return c;
  return {std::move(reduced->module), std::move(reduced->arguments)};
}

std::string toText(const Case& c) {
  std::string text = printModule(*c.module);
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    text += fmt::format("// argument {}: ", i);
    appendShapedLiteral(text, c.arguments[i]);
    text += "\n";
  }
  return text;
}

}  // namespace hilo::fuzz
