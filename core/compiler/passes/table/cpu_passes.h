// General passes with the costs and layouts of the cpu engine, as the table of passes has them.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> assignLayoutsForCpu(Module& module, PassContext& context);
Result<bool> fuseLoopsForCpu(Module& module, PassContext& context);
Result<bool> splitReductionsForCpu(Module& module, PassContext& context);

}  // namespace hilo
