#include <fmt/format.h>

#include <algorithm>

#include "core/base/enum_table.h"
#include "core/runtime/ptx/read_ptx.h"

namespace hilo {
namespace {

using Kind = PtxOperand::Kind;

std::string operandText(const PtxOperand& operand, const PtxFunction& function);

std::string partsText(const PtxOperand& operand, const PtxFunction& function, std::string_view between) {
  std::string text;
  for (const PtxOperand& part : operand.parts) {
    if (!text.empty()) text += between;
    text += operandText(part, function);
  }
  return text;
}

std::string addressText(const PtxOperand& operand, const PtxFunction& function) {
  std::string text = "[" + operandText(operand.parts[0], function);
  const auto offset = static_cast<int64_t>(operand.bits);
  if (offset != 0) text += fmt::format("{}{}", offset > 0 ? "+" : "", offset);
  if (operand.parts.size() > 1) text += ", " + operandText(operand.parts[1], function);
  return text + "]";
}

std::string operandText(const PtxOperand& operand, const PtxFunction& function) {
  const std::string sign = operand.negated ? "!" : "";
  switch (operand.kind) {
    case Kind::Register:
      return sign + function.registers[operand.index].name;
    case Kind::Special:
      return sign + operand.name;
    case Kind::Integer:
      return fmt::format("{}", static_cast<int64_t>(operand.bits));
    case Kind::Float:
      return operand.wide ? fmt::format("0d{:016X}", operand.bits) : fmt::format("0f{:08X}", operand.bits);
    case Kind::Name:
      return sign + (operand.bits == 0 ? operand.name : fmt::format("{}+{}", operand.name, operand.bits));
    case Kind::Address:
      return addressText(operand, function);
    case Kind::Vector:
      return "{" + partsText(operand, function, ", ") + "}";
    case Kind::Pair:
      return partsText(operand, function, "|");
    case Kind::List:
      return "(" + partsText(operand, function, ", ") + ")";
    case Kind::Sink:
      return "_";
  }
  return "_";
}

std::string initialText(const PtxVariable& variable) {
  std::string text;
  const size_t step = std::max<size_t>(1, variable.type.totalBits() / 8);
  for (size_t at = 0; at < variable.initial.size(); at += step) {
    if (at > 0) text += ", ";
    const auto symbol = std::ranges::find(variable.symbols, at, &PtxSymbolAt::offset);
    if (symbol != variable.symbols.end()) {
      text += symbol->isGeneric ? fmt::format("generic({})", symbol->name) : symbol->name;
      if (symbol->addend != 0) text += fmt::format("{:+}", symbol->addend);
      continue;
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < std::min<size_t>(step, 8); ++i)
      bits |= static_cast<uint64_t>(variable.initial[at + i]) << (8 * i);
    const bool isFloat = variable.type.isFloat() && step >= 4;
    text += !isFloat    ? fmt::format("{}", bits)
            : step == 8 ? fmt::format("0d{:016X}", bits)
                        : fmt::format("0f{:08X}", bits);
  }
  return variable.isArray ? "{" + text + "}" : text;
}

constexpr EnumTable<PtxLinkage, std::string_view> kLinkages({"", ".visible ", ".extern ", ".weak ",
                                                             ".common "});

std::string variableText(const PtxVariable& variable) {
  std::string text = fmt::format("{}.{} ", kLinkages[variable.linkage], ptxSpaceName(variable.space));
  if (variable.alignment != 0) text += fmt::format(".align {} ", variable.alignment);
  if (variable.vector != 1) text += fmt::format(".v{} ", variable.vector);
  text += "." + toString(variable.type);
  if (variable.isPointer) {
    text += " .ptr";
    if (variable.pointee != PtxSpace::Generic) text += fmt::format(" .{}", ptxSpaceName(variable.pointee));
    if (variable.pointeeAlignment != 0) text += fmt::format(" .align {}", variable.pointeeAlignment);
  }
  text += " " + variable.name;
  if (variable.isArray) text += variable.elements == 0 ? "[]" : fmt::format("[{}]", variable.elements);
  if (!variable.initial.empty()) text += " = " + initialText(variable);
  return text;
}

std::string paramsText(const std::vector<PtxVariable>& params) {
  std::string text;
  for (const PtxVariable& param : params) text += (text.empty() ? "" : ", ") + variableText(param);
  return "(" + text + ")";
}

std::string sourceText(const PtxSource& source) {
  const std::string inlined = source.inlined.empty() ? "" : "," + source.inlined;
  return fmt::format("\t.loc {} {} {}{}\n", source.file, source.line, source.column, inlined);
}

std::string declarationsText(const PtxFunction& function) {
  std::string text;
  for (const PtxRegister& reg : function.registers) {
    const auto isIt = [&](const PtxVariable& param) { return param.name == reg.name; };
    if (std::ranges::any_of(function.params, isIt) || std::ranges::any_of(function.returns, isIt)) continue;
    text += fmt::format("\t.reg .{} {};\n", toString(reg.type), reg.name);
  }
  for (const PtxVariable& variable : function.variables) text += "\t" + variableText(variable) + ";\n";
  for (const PtxPrototype& prototype : function.prototypes) {
    text += fmt::format("{}: .callprototype {} _ {};\n", prototype.name, paramsText(prototype.returns),
                        paramsText(prototype.params));
  }
  for (const PtxTargets& targets : function.targets) {
    text += fmt::format("{}: {} ", targets.name, targets.areBranches ? ".branchtargets" : ".calltargets");
    for (size_t i = 0; i < targets.targets.size(); ++i) text += (i > 0 ? ", " : "") + targets.targets[i];
    text += ";\n";
  }
  return text;
}

std::string functionText(const PtxFunction& function) {
  std::string text = fmt::format("{}{} ", kLinkages[function.linkage], function.isEntry ? ".entry" : ".func");
  if (!function.returns.empty()) text += paramsText(function.returns) + " ";
  text += function.name + paramsText(function.params) + "\n";
  for (const PtxAttribute& attribute : function.attributes) {
    text += "." + attribute.name;
    for (size_t i = 0; i < attribute.values.size(); ++i)
      text += fmt::format("{} {}", i > 0 ? "," : "", attribute.values[i]);
    text += "\n";
  }
  if (!function.hasBody) return text + ";\n";
  text += "{\n" + declarationsText(function);
  size_t label = 0;
  uint32_t source = PtxInstruction::kNone;
  for (uint32_t i = 0; i <= function.instructions.size(); ++i) {
    for (; label < function.labels.size() && function.labels[label].at == i; ++label)
      text += function.labels[label].name + ":\n";
    if (i == function.instructions.size()) break;
    const PtxInstruction& instruction = function.instructions[i];
    if (instruction.source != source) text += sourceText(function.sources[source = instruction.source]);
    text += "\t" + printPtx(instruction, function) + "\n";
  }
  return text + "}\n";
}

}  // namespace

std::string printPtx(const PtxInstruction& instruction, const PtxFunction& function) {
  std::string text;
  if (instruction.guard != PtxInstruction::kNone) {
    text = fmt::format("@{}{} ", instruction.guardNegated ? "!" : "",
                       function.registers[instruction.guard].name);
  }
  text += instruction.opcode;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + operandText(instruction.operands[i], function);
  return text + ";";
}

std::string printPtx(const PtxModule& module) {
  std::string text = fmt::format(".version {}.{}\n.target ", module.majorVersion, module.minorVersion);
  for (size_t i = 0; i < module.target.size(); ++i) text += (i > 0 ? ", " : "") + module.target[i];
  text += fmt::format("\n.address_size {}\n", module.addressBits);
  for (const auto& [number, path] : module.files) text += fmt::format(".file {} \"{}\"\n", number, path);
  for (const PtxVariable& variable : module.variables) text += variableText(variable) + ";\n";
  for (const PtxFunction& function : module.functions) text += functionText(function);
  return text;
}

}  // namespace hilo
