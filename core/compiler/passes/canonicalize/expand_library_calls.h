// Writes custom calls to libraries as the HLO they stand for (core/hlo/expand), so that what follows
// sees dots, convolutions and sorts. Calls whose target or form is not known stay, with a remark.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandLibraryCalls(Module& module, PassContext& context);

}  // namespace hilo
