// Puts the op_name of a call before the op_names of the instructions it calls, so that what is left of a
// call still says where it came from. Stack frames stay as they are. As
// xla/hlo/transforms/propagate_call_metadata.cc.
#pragma once

#include <functional>
#include <string_view>

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> propagateCallMetadata(Module& module, PassContext& context);

// The op_name of a call without slashes at its ends; "" where it has none.
std::string_view opNamePrefix(const Instruction& call);
// Puts the prefix before the op_name of the instruction, and of those in its loops and conditionals, where
// `mayChange` says so. Names that begin with it, or would be too long, stay. Gives whether a name changed.
bool prefixOpName(Instruction& instruction, std::string_view prefix,
                  const std::function<bool(const Instruction&)>& mayChange);

}  // namespace hilo
