#include "core/compiler/pass/replace_uses.h"

namespace hilo {

void replaceUsesBy(Instruction* user, const Instruction* from, Instruction* to) {
  for (size_t i = 0; i < user->operandCount(); ++i) {
    if (user->operand(i) == from) user->setOperand(i, to);
  }
}

}  // namespace hilo
