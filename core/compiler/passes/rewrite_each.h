// The loop that most rewriting passes are: every instruction outside fusions once, those that are used.
#pragma once

#include <absl/functional/function_ref.h>

#include "core/compiler/pass/pass.h"

namespace hilo {

// `rewrite` gives the value to use instead, made in front of the instruction, or null; it must make nothing
// when it gives null. `applies` says whether it will give one. Remarks: `kind` with the name of what is used
// instead. The instruction goes.
bool rewriteEach(Module& module, PassContext& context, std::string_view kind,
                 absl::FunctionRef<bool(const Instruction&)> applies,
                 absl::FunctionRef<Instruction*(Instruction&)> rewrite);

}  // namespace hilo
