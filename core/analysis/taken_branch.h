// Which branch of a conditional runs.
#pragma once

#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// The branch a conditional takes by this value of its first operand.
struct TakenBranch {
  const Computation* computation = nullptr;
  size_t number = 0;
};
TakenBranch takenBranch(const Instruction& choice, const Literal& selector);

}  // namespace hilo
