// Puts the op_name of a call before the op_names of the instructions it calls, so that what is left of a
// call still says where it came from. Stack frames stay as they are. As
// xla/hlo/transforms/propagate_call_metadata.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> propagateCallMetadata(Module& module, PassContext& context);

}  // namespace hilo
