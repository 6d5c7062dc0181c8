// What XLA's shardy_xla_pass_test.cc expects of the program around the shardings: layouts, aliases and donors
// of the entry, how many computations there are, attributes that stay or go. The table says so; the modules
// are XLA's, read from its sources (HILO_XLA_SOURCE).
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "tests/conformance/spmd/shardy_axes.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/spmd/shardy/shardy_xla_pass_test.cc";

using ProgramRow = std::vector<std::string>;  // test, property, its value

// Without the braces around a list.
std::string headerValue(const Module& module, Attr key) {
  const Attribute* attribute = module.attributes().find(key);
  std::string text;
  if (attribute != nullptr) appendAttributeValue(text, *attribute);
  const size_t from = text.find_first_not_of("{ "), to = text.find_last_not_of("} ");
  const bool isBraced = text.starts_with("{ ") && from != text.npos && to != text.npos;
  return isBraced ? text.substr(2, text.size() - 4) : text;
}

const Instruction* firstCall(const Module& module) {
  for (const Instruction* i : module.entry()->instructions()) {
    if (i->opcode() == Opcode::Call) return i;
  }
  return nullptr;
}

std::string kindOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::CustomCall) return std::string(instruction.opcodeText());
  return std::string(instruction.get<Attr::CustomCallTarget>());
}

const Instruction* behindTuples(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::GetTupleElement &&
         instruction->operand(0)->opcode() == Opcode::Tuple)
    instruction = instruction->operand(0)->operand(static_cast<size_t>(instruction->tupleIndex()));
  return instruction;
}

// Of the text of the header, where a layout that is not stated is shown too.
std::string layoutText(const Module& module) {
  const std::string text = printModule(module);
  const std::string start = "entry_computation_layout={";
  const size_t at = text.find(start), line = text.find('\n');
  if (at >= line) return "";
  const size_t from = at + start.size();
  size_t end = from;
  for (int depth = 1; end < line; ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  return text.substr(from, end - from);
}

std::string propertyOf(const Module& module, const std::string& property) {
  if (property == "computations") return std::to_string(module.computations().size());
  if (property == "parameters") return std::to_string(module.entry()->parameters().size());
  if (property == "layout") return layoutText(module);
  if (property == "aliases") return headerValue(module, Attr::InputOutputAlias);
  if (property == "donors") return headerValue(module, Attr::BufferDonor);
  if (property == "root") return kindOf(*module.entry()->root());
  const Instruction* call = firstCall(module);
  if (call == nullptr) return "no call";
  if (property == "callee") return std::string(call->get<Attr::ToApply>()->name());
  if (property == "called") return kindOf(*behindTuples(call->operand(0)));
  std::string text;
  if (const Sharding* sharding = call->get<Attr::Sharding>()) appendSharding(text, *sharding);
  return property == "call sharding" ? text : "unknown property " + property;
}

std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::string differenceFrom(const Module& module, const ProgramRow& row) {
  const std::string expected = row.size() > 2 ? row[2] : "";
  if (row[1] == "has" || row[1] == "lacks") {
    const bool has = printModule(module).find(expected) != std::string::npos;
    return has == (row[1] == "has") ? "" : (has ? "has " : "has no ") + expected;
  }
  const std::string found = propertyOf(module, row[1]);
  return withoutSpaces(found) == withoutSpaces(expected)
             ? ""
             : fmt::format("{}: {}, expected {}", row[1], found, expected);
}

std::string programProblem(const std::vector<ProgramRow>& rows) {
  const std::string text = textOfXlaTest(kSource, rows[0][0]);
  auto module = parseXlaText(text);
  if (!module) return toString(module.error());
  prepareForShardy(**module, text, 2);
  const auto decisions = spreadShardy(**module);
  if (!decisions) return toString(decisions.error());
  for (const ProgramRow& row : rows) {
    const std::string difference = differenceFrom(**module, row);
    if (!difference.empty()) return difference;
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kProgramsHold = 16;

TEST(XlaShardyPrograms, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<ProgramRow>> tests;
  for (ProgramRow& row : readTable("shardy_xla_programs.tsv")) tests[row[0]].push_back(std::move(row));
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  size_t hold = 0;
  for (const auto& [name, rows] : tests) {
    const std::string problem = programProblem(rows);
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", name, problem);
  }
  fmt::print("{} of {} tests hold\n", hold, tests.size());
  EXPECT_GE(hold, kProgramsHold);
}

}  // namespace
}  // namespace hilo
