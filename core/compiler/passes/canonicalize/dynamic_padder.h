// Operations that would take padding of arrays with fewer elements than their bounds for data are written
// so that they do not (core/hlo/expand/dynamic_padding.h). What cannot be stays, with a remark. Sizes that
// are asked for and are known become constants, or what they were set to. XLA's pass of this name.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> padDynamically(Module& module, PassContext& context);

}  // namespace hilo
