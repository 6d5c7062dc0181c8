// Custom calls whose meaning is known, products by an algorithm, and what would take padding for data, are
// evaluated as the HLO they stand for.
#include "core/hlo/eval/handlers.h"

namespace hilo::eval {

Result<Literal> expanded(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  TRY(const Computation* expansion, context.expansion(instruction));
  return context.call(*expansion, {operands.begin(), operands.end()});
}

}  // namespace hilo::eval
