#include "core/hlo/eval/handlers.h"

#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace eval {

std::optional<Diagnostic> collectiveRefusal(const Instruction& instruction, DeviceGrid grid);

Result<Literal> unsupported(const Instruction& instruction, std::span<Literal>, EvalContext&) {
  if (instruction.opcode() == Opcode::Opaque) {
    return unsupportedOpcode(instruction, fmt::format("opcode \"{}\" is unknown", instruction.opcodeText()));
  }
  return unsupportedOpcode(instruction, fmt::format("{} has no handler", instruction.opcodeText()));
}

namespace {

// A dot by an algorithm is evaluated as the HLO that stands for it.
template <Handler plain>
Result<Literal> byAlgorithm(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  if (hasAlgorithmOfItsOwn(instruction)) return expanded(instruction, operands, context);
  return plain(instruction, operands, context);
}

// Null for opcodes without a row.
Handler familyHandler(Opcode opcode) {
  switch (opcode) {
#define HANDLER(name, function) \
  case Opcode::name:            \
    return function;
#define EXPANDS(name, function) \
  case Opcode::name:            \
    return byAlgorithm<function>;
#include "core/hlo/eval/handlers.def"
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace eval

Handler handlerOf(Opcode opcode) {
  if (const Handler handler = eval::familyHandler(opcode)) return handler;
  return isElementwise(opcode) ? eval::elementwise : eval::unsupported;
}

std::optional<Diagnostic> refusal(const Instruction& instruction, DeviceGrid grid) {
  const OpcodeClass family = opcodeClass(instruction.opcode());
  const bool isWithHost = instruction.opcode() == Opcode::Infeed || instruction.opcode() == Opcode::Outfeed;
  const bool isMail = family == OpcodeClass::Communication && !isWithHost;
  if (handlerOf(instruction.opcode()) == eval::unsupported || (isMail && grid.count() == 1)) {
    return unsupportedOpcode(
               instruction,
               fmt::format("{} cannot be evaluated",
                           instruction.opcodeText().empty() ? "an unknown opcode" : instruction.opcodeText()))
        .error();
  }
  if (family == OpcodeClass::Collective) return eval::collectiveRefusal(instruction, grid);
  if (instruction.opcode() == Opcode::CustomCall || hasAlgorithmOfItsOwn(instruction))
    return expansionRefusal(instruction);
  if (isElementwise(instruction.opcode()) && handlerOf(instruction.opcode()) == eval::elementwise) {
    if (auto kernel = elementKernel(instruction); !kernel) return kernel.error();
  }
  return std::nullopt;
}

}  // namespace hilo
