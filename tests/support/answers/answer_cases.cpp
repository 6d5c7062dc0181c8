#include "tests/support/answers/answer_cases.h"

#include <fmt/format.h>

#include "core/hlo/text/parse.h"
#include "tests/support/answers/known_answers.h"
#include "tests/support/test_files.h"

namespace hilo {
namespace {

std::vector<ElementwiseCase> readElementwiseCases() {
  std::vector<ElementwiseCase> cases;
  for (const std::string& line : splitAt(readTestFile("tests/data/eval/elementwise.txt"), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    auto fields = splitAt(line, '|');
    const size_t comma = fields[0].find(',');
    ElementwiseCase read{
        .line = line.substr(0, 60), .opcode = fields[0].substr(0, comma), .result = fields[2]};
    if (comma != std::string::npos) read.attributes = fields[0].substr(comma);
    read.types = splitAt(fields[1], ',');
    read.tolerance = std::stod(fields[3]);
    read.operands.assign(fields.begin() + 4, fields.end() - 1);
    read.expected = fields.back();
    cases.push_back(std::move(read));
  }
  return cases;
}

std::string moduleText(const ElementwiseCase& c) {
  const auto count = splitAt(c.expected, ' ').size();
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < c.types.size(); ++i) {
    text += fmt::format("  p{0} = {1}[{2}] parameter({0})\n", i, c.types[i], count);
    names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  return text +
         fmt::format("  ROOT r = {}[{}] {}({}){}\n}}\n", c.result, count, c.opcode, names, c.attributes);
}

CaseValues valuesOf(const std::string& line) {
  const size_t bar = line.find(" | ");
  return {line.substr(2, bar - 2), line.substr(bar + 3)};
}

std::vector<StructuralCase> readStructuralCases() {
  std::vector<StructuralCase> cases;
  size_t number = 0;
  for (const std::string& line : splitAt(readTestFile("tests/data/eval/structural.txt"), '\n')) {
    ++number;
    if (line.starts_with("#") || line.empty()) continue;
    if (line.starts_with("== ")) {
      const size_t bar = line.find(" | ");
      StructuralCase begun{.name = line.substr(3, bar - 3), .line = number};
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

}  // namespace

const std::vector<ElementwiseCase>& elementwiseCases() {
  static const std::vector<ElementwiseCase> cases = readElementwiseCases();
  return cases;
}

const std::vector<StructuralCase>& structuralCases() {
  static const std::vector<StructuralCase> cases = readStructuralCases();
  return cases;
}

std::string outcome(const ElementwiseCase& c, const RunModule& run) {
  auto module = parseModuleStrictly(moduleText(c));
  if (!module) return toString(module.error());
  std::vector<Literal> arguments;
  for (size_t i = 0; i < c.types.size(); ++i)
    arguments.push_back(literalOfBits((*module)->entry()->parameters()[i]->shape(), c.operands[i]));
  const auto result = run(*std::move(module), arguments);
  if (!result) return toString(result.error());
  return differenceFrom(*result, c.expected, c.tolerance);
}

Result<std::unique_ptr<Module>> moduleOf(const StructuralCase& c) {
  const bool whole = c.text.find("ENTRY") != std::string::npos;
  return parseModuleStrictly(whole ? "HloModule m\n" + c.text : "HloModule m\nENTRY e {\n" + c.text + "}\n");
}

std::string outcome(const StructuralCase& c, const RunModule& run) {
  auto module = moduleOf(c);
  if (!module) return toString(module.error());
  std::vector<Literal> arguments;
  for (const CaseValues& input : c.inputs)
    arguments.push_back(literalOfBits(parseShape(input.shape).value(), input.bits));
  const auto result = run(*std::move(module), arguments);
  if (!result) return toString(result.error());
  const size_t parts = result->isTuple() ? result->elements().size() : 1;
  if (parts != c.outputs.size()) return fmt::format("{} arrays, expected {}", parts, c.outputs.size());
  for (size_t i = 0; i < parts; ++i) {
    const Literal& got = result->isTuple() ? result->elements()[i] : *result;
    if (const std::string shape = toString(got.shape().withoutLayout()); shape != c.outputs[i].shape)
      return fmt::format("result {} is {}, expected {}", i, shape, c.outputs[i].shape);
    const std::string difference = c.absolute ? distanceFrom(got, c.outputs[i].bits, c.tolerance)
                                              : differenceFrom(got, c.outputs[i].bits, c.tolerance);
    if (!difference.empty()) return fmt::format("result {}{}", i, difference);
  }
  return "";
}

}  // namespace hilo
