// Custom calls whose meaning is known are evaluated as the HLO they stand for. All others are refused by
// their target.
#include "core/hlo/eval/handlers.h"
#include "core/hlo/library_calls/library_calls.h"

namespace hilo::eval {

std::optional<Diagnostic> customCallRefusal(const Instruction& instruction) {
  return libraryCallRefusal(instruction);
}

Result<Literal> customCall(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  TRY(const Computation* expansion, context.expansion(instruction));
  return context.call(*expansion, {operands.begin(), operands.end()});
}

}  // namespace hilo::eval
