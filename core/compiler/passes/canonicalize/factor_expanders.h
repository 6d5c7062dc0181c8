// XLA's own custom calls that factor matrices (`Qr`, `ProductOfElementaryHouseholderReflectors`, `Eigh`) as
// loops over columns, and rotations (core/hlo/expand). As XLA's hlo/transforms/expanders/qr_expander.cc and
// eigh_expander.cc, which differ in the order of rounding.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandQrCalls(Module& module, PassContext& context);
Result<bool> expandEighCalls(Module& module, PassContext& context);

}  // namespace hilo
