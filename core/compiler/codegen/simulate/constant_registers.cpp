#include "core/compiler/codegen/simulate/constant_registers.h"

#include <algorithm>

namespace hilo {
namespace {

// What an instruction writes is its first operand, or parts of it. Those of some are read alone (`st`,
// `bra`): counted too, they make nothing constant that is not.
void countWrites(const PtxOperand& operand, std::vector<uint32_t>& writes) {
  if (operand.kind == PtxOperand::Kind::Register) ++writes[operand.index];
  for (const PtxOperand& part : operand.parts) countWrites(part, writes);
}

std::optional<uint64_t> numberMoved(const PtxInstruction& move, const PtxRegister& to) {
  PtxType type;
  const bool isMove = move.op == PtxOp::Mov && move.guard == PtxInstruction::kNone &&
                      move.operands.size() == 2 && !move.modifiers.empty();
  if (!isMove || !readPtxType(move.modifiers.back(), type) || type.totalBits() != to.type.totalBits())
    return std::nullopt;
  const PtxOperand& number = move.operands[1];
  const bool isFloat = number.kind == PtxOperand::Kind::Float && type.totalBits() == (number.wide ? 64 : 32);
  return isFloat || number.kind == PtxOperand::Kind::Integer ? std::optional(number.bits) : std::nullopt;
}

}  // namespace

std::vector<std::optional<uint64_t>> constantRegisters(const PtxFunction& function) {
  std::vector<uint32_t> writes(function.registers.size());
  for (const PtxInstruction& instruction : function.instructions) {
    if (!instruction.operands.empty()) countWrites(instruction.operands[0], writes);
  }
  // Parameters in registers are written by who calls.
  for (size_t i = 0; i < writes.size(); ++i)
    writes[i] += static_cast<uint32_t>(
        std::ranges::count(function.params, function.registers[i].name, &PtxVariable::name));
  std::vector<std::optional<uint64_t>> constants(writes.size());
  for (const PtxInstruction& instruction : function.instructions) {
    if (instruction.operands.empty() || instruction.operands[0].kind != PtxOperand::Kind::Register) continue;
    const uint32_t to = instruction.operands[0].index;
    if (writes[to] == 1) constants[to] = numberMoved(instruction, function.registers[to]);
  }
  return constants;
}

}  // namespace hilo
