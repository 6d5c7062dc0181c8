// Moves a copy into another order behind elementwise work, pads, slices, reverses, concatenates and
// reductions, so that it copies less or meets another copy. As
// xla/backends/gpu/transforms/move_copy_to_users.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> moveCopiesToUsers(Module& module, PassContext& context);

}  // namespace hilo
