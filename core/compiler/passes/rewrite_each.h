// The loop that most rewriting passes are: every instruction outside fusions once, those that are used.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// `rewrite` gives the value to use instead, made in front of the instruction, or null; it must make nothing
// when it gives null. `applies` says whether it will give one. Remarks: `kind` with the name of what is used
// instead. The instruction goes.
bool rewriteEach(Module& module, PassContext& context, std::string_view kind,
                 bool (*applies)(const Instruction&), Instruction* (*rewrite)(Instruction&));

}  // namespace hilo
