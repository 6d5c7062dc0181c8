// Properties of a program around its shardings: layouts, aliases and donors of the entry, how many
// computations there are, attributes that stay or go.
#pragma once

#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {

// Test, property, its value.
using ProgramRow = std::vector<std::string>;

// Without the braces around a list.
inline std::string headerValue(const Module& module, Attr key) {
  const Attribute* attribute = module.attributes().find(key);
  std::string text;
  if (attribute != nullptr) appendAttributeValue(text, *attribute);
  const size_t from = text.find_first_not_of("{ "), to = text.find_last_not_of("} ");
  const bool isBraced = text.starts_with("{ ") && from != text.npos && to != text.npos;
  return isBraced ? text.substr(2, text.size() - 4) : text;
}

inline const Instruction* firstCall(const Module& module) {
  for (const Instruction* i : module.entry()->instructions()) {
    if (i->opcode() == Opcode::Call) return i;
  }
  return nullptr;
}

inline std::string kindOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::CustomCall) return std::string(instruction.opcodeText());
  return std::string(instruction.get<Attr::CustomCallTarget>());
}

inline const Instruction* behindTuples(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::GetTupleElement &&
         instruction->operand(0)->opcode() == Opcode::Tuple)
    instruction = instruction->operand(0)->operand(static_cast<size_t>(instruction->tupleIndex()));
  return instruction;
}

// Of the text of the header, where a layout that is not stated is shown too.
inline std::string layoutText(const Module& module) {
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

inline std::string propertyOf(const Module& module, const std::string& property) {
  if (property == "computations") return std::to_string(module.computations().size());
  if (property == "parameters") return std::to_string(module.entry()->parameters().size());
  if (property == "layout") return layoutText(module);
  if (property == "aliases") return headerValue(module, Attr::InputOutputAlias);
  if (property == "donors") return headerValue(module, Attr::BufferDonor);
  if (property == "root") return kindOf(*module.entry()->root());
  if (property == "shape") return toString(module.entry()->root()->shape().withoutLayout());
  const Instruction* call = firstCall(module);
  if (call == nullptr) return "no call";
  if (property == "callee") return std::string(call->get<Attr::ToApply>()->name());
  if (property == "called") return kindOf(*behindTuples(call->operand(0)));
  std::string text;
  if (const Sharding* sharding = call->get<Attr::Sharding>()) appendSharding(text, *sharding);
  return property == "call sharding" ? text : "unknown property " + property;
}

inline std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

inline std::string differenceFrom(const Module& module, const ProgramRow& row) {
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

// "PROPERTY: VALUE".
inline ProgramRow propertyRow(const std::string& expected) {
  const size_t colon = expected.find(": ");
  return {"own", expected.substr(0, colon), expected.substr(colon + 2)};
}

}  // namespace hilo
