// Gives each user of a constant a copy of its own, so that shardings do not spread from one user to another
// through it. As xla/hlo/transforms/simplifiers/hlo_constant_splitter.cc, for constants alone.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitConstants(Module& module, PassContext& context);

}  // namespace hilo
