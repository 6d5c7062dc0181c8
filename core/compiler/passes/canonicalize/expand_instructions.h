// What the passes that write instructions as others share.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct InstructionExpansion {
  bool (*applies)(const Instruction&);
  // Why one it applies to cannot be expanded; asked before.
  std::optional<Diagnostic> (*refusal)(const Instruction&);
  // Writes what the instruction gives in front of it.
  Result<Instruction*> (*expand)(Instruction&);
  // What a remark calls it.
  std::string_view (*what)(const Instruction&);
};

// Replaces every instruction it applies to. What is refused stays, with a remark.
Result<bool> expandInstructions(Module& module, const InstructionExpansion& expansion, PassContext& context);

}  // namespace hilo
