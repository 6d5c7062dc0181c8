// What later uses take instead of a value that waits over the peak; and all of it taken back.
#pragma once

#include "core/compiler/schedule/waiting_values.h"

namespace hilo {

// What was changed for one value, in order.
struct Replacement {
  Instruction* original = nullptr;
  Instruction* standIn = nullptr;
  struct Edit {
    enum class Kind : uint8_t { Made, OperandSet } kind;
    Instruction* instruction;
    Instruction* before = nullptr;  // OperandSet: the operand it had
    size_t operand = 0;
  };
  std::vector<Edit> edits;
  std::vector<Instruction*> carriers;  // that passed the original on to later uses
};

Replacement replaceLaterUses(const WaitingValue& waiting);
// The computation is as it was before; later replacements must be taken back first.
void takeBack(const Replacement& replacement);
// Removes the original and its carriers where nothing uses them any more. It cannot be taken back then.
void removeUnused(Replacement& replacement);

}  // namespace hilo
