// Constants that every call of a computation passes for one parameter are written into the computation. The
// parameter stays, unused.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

bool useConstantArguments(Module& module, PassContext& context);

}  // namespace hilo
