#include "core/analysis/grouping/grouping_fold.h"

#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr int64_t kSmallConstantElements = 1024;
// A number goes through a few of these in real programs; a hostile chain is not followed to its end.
constexpr int kMaxSpreadingSteps = 8;

bool spreads(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Convert:
    case Opcode::Reshape:
    case Opcode::Copy:
      return instruction.operandCount() == 1;
    default:
      return false;
  }
}

// The constant whose one number fills the instruction's value; null when it is something else.
const Instruction* spreadNumber(const Instruction& instruction) {
  const Instruction* at = &instruction;
  for (int step = 0; step < kMaxSpreadingSteps && spreads(*at); ++step) at = at->operand(0);
  const bool number =
      at->opcode() == Opcode::Constant && at->shape().isArray() && at->shape().elementCount() == 1;
  return number ? at : nullptr;
}

bool isSmallConstant(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Constant && instruction.shape().isArray() &&
         instruction.shape().elementCount() <= kSmallConstantElements;
}

}  // namespace

FoldKind foldKind(const Instruction& instruction) {
  if (instruction.isRoot() || instruction.users().empty()) return FoldKind::None;
  if (instruction.opcode() == Opcode::GetTupleElement && instruction.operandCount() == 1)
    return instruction.has(Attr::ControlPredecessors) ? FoldKind::None : FoldKind::TupleElement;
  const bool value =
      isSmallConstant(instruction) || (spreads(instruction) && spreadNumber(instruction) != nullptr);
  return value && !instruction.has(Attr::ControlPredecessors) ? FoldKind::Value : FoldKind::None;
}

std::string foldedText(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::GetTupleElement) return fmt::format("#{}", instruction.tupleIndex());
  const Instruction* number = spreadNumber(instruction);
  if (number == nullptr || !instruction.shape().isArray())
    return toString(instruction.shape().withoutLayout());
  std::string text;
  appendLiteral(text, number->literal());
  // One element of higher rank prints within braces.
  std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
  const ElementType type = instruction.shape().elementType();
  if (type == number->shape().elementType()) return text;
  return fmt::format("{}({})", elementTypeName(type), text);
}

}  // namespace hilo
