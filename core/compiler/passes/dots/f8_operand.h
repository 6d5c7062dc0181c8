// An operand of a dot that is of 8 bit floats, also where it is widened, scaled and then moved about before
// the dot reads it. The library widens and scales itself, and what moves elements can move them earlier.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct F8Operand {
  // One that moves elements, and which operand of it leads to the numbers.
  struct Step {
    Instruction* op;
    size_t operand;
  };

  Instruction* value = nullptr;  // of 8 bit floats
  Instruction* scale = nullptr;  // null: none. The numbers are multiplied by it, or divided
  bool divides = false;
  std::vector<Step> moves;  // from `value` on

  // In front of `before`: the numbers where the dot wants them, still of 8 bits.
  Instruction* moved(Instruction& before) const;
};

// True of floats of 8 bits with a sign.
bool isF8(ElementType type);
// nullopt: `operand` is not that.
std::optional<F8Operand> f8OperandOf(Instruction* operand);

}  // namespace hilo
