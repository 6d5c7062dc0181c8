// One instruction: name, shape, opcode, operands, attributes.

#include "core/hlo/text/print_values.h"
#include "core/hlo/text/printer.h"

namespace hilo {
namespace {

constexpr size_t kMaxCompactOperands = 4;

std::string_view asyncSuffix(Opcode opcode) {
  switch (opcode) {
    case Opcode::AsyncStart:
      return "-start";
    case Opcode::AsyncUpdate:
      return "-update";
    default:
      return "-done";
  }
}

bool isAsync(Opcode opcode) {
  return opcode == Opcode::AsyncStart || opcode == Opcode::AsyncUpdate || opcode == Opcode::AsyncDone;
}

// The raw text between the parentheses of an opcode Hilo does not know, if that is how its
// operands were kept.
const OpaqueAttribute* rawOperands(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Opaque) return nullptr;
  for (const Attribute& attribute : instruction.attributes()) {
    if (attribute.key != Attr::Opaque) continue;
    const auto* opaque = static_cast<const OpaqueAttribute*>(attribute.pointer);
    if (opaque->name.empty()) return opaque;
  }
  return nullptr;
}

}  // namespace

bool isOneOperation(const Computation& computation) {
  for (const Instruction* instruction : computation.instructions()) {
    if (!instruction->isRoot() && instruction->opcode() != Opcode::Parameter) return false;
  }
  return computation.root() != nullptr;
}

const Instruction* asyncWrapped(const Instruction& instruction) {
  const Instruction* start = &instruction;
  while (start->opcode() == Opcode::AsyncUpdate || start->opcode() == Opcode::AsyncDone) {
    if (start->operandCount() == 0) return nullptr;
    start = start->operand(0);
  }
  if (start->opcode() != Opcode::AsyncStart) return nullptr;
  const Computation* wrapped = start->get<Attr::Calls>();
  return wrapped != nullptr && isOneOperation(*wrapped) ? wrapped->root() : nullptr;
}

void Printer::printName(std::string_view name) {
  if (options_.percent) out_ += '%';
  out_ += name;
}

void Printer::printInstructionName(const Instruction& instruction) {
  if (!options_.canonicalNames) return printName(instruction.name());
  const auto [entry, isNew] =
      canonicalNames_.emplace(&instruction, static_cast<uint32_t>(canonicalNames_.size()));
  out_ += "tmp_";
  appendInt(out_, entry->second);
}

void Printer::printShape(Shape shape) {
  const auto [entry, isNew] = shapes_.try_emplace(shape.identity());
  if (isNew) appendShape(entry->second, shape, options_.layouts);
  out_ += entry->second;
}

void Printer::printOpcode(const Instruction& instruction) {
  if (options_.syntaxSugarAsyncOps && isAsync(instruction.opcode())) {
    if (const Instruction* wrapped = asyncWrapped(instruction)) {
      out_ += wrapped->opcodeText();
      out_ += asyncSuffix(instruction.opcode());
      return;
    }
  }
  out_ += instruction.opcodeText();
}

void Printer::printOperand(const Instruction* operand) {
  if (operand == nullptr) {
    out_ += "null ";
    return;
  }
  if (options_.operandShapes) printShape(operand->shape());
  if (options_.canonicalNames ? !nested_ : !options_.operandNames) return;
  if (options_.operandShapes) out_ += ' ';
  if (!options_.compactGte || operand->opcode() != Opcode::GetTupleElement)
    return printInstructionName(*operand);
  absl::InlinedVector<int64_t, 4> path;
  while (operand->opcode() == Opcode::GetTupleElement && operand->operandCount() == 1) {
    path.push_back(operand->tupleIndex());
    operand = operand->operand(0);
  }
  printInstructionName(*operand);
  for (size_t i = path.size(); i-- > 0;) {
    out_ += '#';
    appendInt(out_, path[i]);
  }
}

void Printer::printOperandList(const Instruction& instruction) {
  const auto operands = instruction.operands();
  const size_t shown =
      options_.compactOperands ? std::min(operands.size(), kMaxCompactOperands) : operands.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i != 0) {
      out_ += ", ";
      if (options_.operandIndexInterval != 0 && i % options_.operandIndexInterval == 0)
        appendIndexComment(out_, i);
    }
    printOperand(operands[i]);
  }
  if (shown < operands.size()) {
    fmt::format_to(std::back_inserter(out_), ", ...(+{})", operands.size() - shown);
  }
}

void Printer::printOperands(const Instruction& instruction) {
  out_ += '(';
  if (instruction.opcode() == Opcode::Parameter) {
    if (options_.parameterNumbers) appendInt(out_, instruction.parameterNumber());
  } else if (instruction.opcode() == Opcode::Constant) {
    const Literal* literal = instruction.get<Attr::Literal>();
    if (literal != nullptr) {
      appendLiteral(out_, *literal, options_);
    } else {
      out_ += "{...}";
    }
  } else if (const OpaqueAttribute* raw = rawOperands(instruction)) {
    out_ += raw->text;
  } else {
    printOperandList(instruction);
  }
  out_ += ')';
}

bool Printer::isPrinted(const Attribute& attribute) const {
  switch (attribute.key) {
    case Attr::ParameterNumber:
    case Attr::Literal:
    case Attr::OpaqueOpcode:
    case Attr::UniqueId:
    case Attr::UnknownFields:
      return false;
    case Attr::Metadata:
      return options_.metadata;
    case Attr::BackendConfig:
      return options_.backendConfig;
    case Attr::Origin:
      return options_.originalValue;
    case Attr::ControlPredecessors:
      return options_.controlPredecessors;
    case Attr::FrontendAttributes:
      return options_.frontendAttributes;
    case Attr::InfeedConfig:
    case Attr::OutfeedConfig:
      return options_.extraAttributes && options_.infeedOutfeedConfig;
    case Attr::ParameterReplication:
      return options_.extraAttributes && options_.ids;
    case Attr::Opaque:
      return !static_cast<const OpaqueAttribute*>(attribute.pointer)->name.empty();
    case Attr::Sharding:
    case Attr::Statistics:
    case Attr::ResultAccuracy:
      return true;
    default:
      break;
  }
  const AttrKind kind = attrKind(attribute.key);
  if (kind == AttrKind::Computation || kind == AttrKind::ComputationList) {
    return options_.subcomputations != PrintOptions::Subcomputations::Off;
  }
  return options_.extraAttributes;
}

void Printer::printAttribute(const Attribute& attribute) {
  if (!isPrinted(attribute)) return;
  out_ += ", ";
  if (attribute.key == Attr::Opaque) {
    out_ += static_cast<const OpaqueAttribute*>(attribute.pointer)->name;
  } else {
    out_ += attrName(attribute.key);
  }
  out_ += '=';
  if (attribute.key == Attr::ChannelId && !options_.channelIds) {
    out_ += '_';
  } else {
    printAttributeValue(attribute);
  }
}

// A sugared start: what belongs to the wrapped operation stands between its thread and its aliasing.
void Printer::printWrappedAttributes(const Instruction& start) {
  const Instruction& wrapped = *asyncWrapped(start);
  for (const Attribute& attribute : start.attributes()) {
    if (attribute.key == Attr::AsyncExecutionThread) printAttribute(attribute);
  }
  for (const Attribute& attribute : wrapped.attributes()) {
    const bool common = attribute.key >= Attr::Sharding && attribute.key != Attr::Opaque;
    if (!common || !start.has(attribute.key)) printAttribute(attribute);
  }
  for (const Attribute& attribute : start.attributes()) {
    if (attribute.key != Attr::AsyncExecutionThread && attribute.key != Attr::Calls)
      printAttribute(attribute);
  }
}

void Printer::printAttributes(const Instruction& instruction) {
  if (options_.syntaxSugarAsyncOps && instruction.opcode() == Opcode::AsyncStart &&
      asyncWrapped(instruction)) {
    return printWrappedAttributes(instruction);
  }
  for (const Attribute& attribute : instruction.attributes()) printAttribute(attribute);
}

void Printer::printInstruction(const Instruction& instruction, int indent, bool nested) {
  const int outerIndent = std::exchange(indent_, indent);
  const bool outerNested = std::exchange(nested_, nested);
  if (!options_.canonicalNames || nested) {
    printInstructionName(instruction);
    out_ += " = ";
  }
  if (options_.resultShapes) {
    printShape(instruction.shape());
    out_ += ' ';
  }
  printOpcode(instruction);
  printOperands(instruction);
  printAttributes(instruction);
  indent_ = outerIndent;
  nested_ = outerNested;
}

std::string printInstruction(const Instruction& instruction, const PrintOptions& options) {
  std::string out;
  Printer(out, options).printInstruction(instruction, 0, false);
  return out;
}

}  // namespace hilo
