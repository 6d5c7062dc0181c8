// Is a list of instructions a valid order of a computation? XLA's HloSchedule::Verify(computation),
// with its messages.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// What is wrong with an order, in XLA's words.
struct OrderFault {
  const Instruction* instruction = nullptr;  // null: the order as a whole
  const Instruction* before = nullptr;       // the operand or control predecessor that comes too late
  std::string message;
};
// All of them, the one XLA stops at first.
std::vector<OrderFault> orderFaults(const Computation& computation,
                                    std::span<const Instruction* const> order);

// The first fault as error kind "bad-schedule": an instruction twice, missing or of elsewhere, or before an
// operand or control predecessor.
Status verifyOrder(const Computation& computation, std::span<const Instruction* const> order);

// Operands and control predecessors before users, depth first, first operand first, starting from the
// instructions nothing uses. Loops in a broken module end.
std::vector<Instruction*> postOrder(const Computation& computation);

}  // namespace hilo
