// Makes one kernel of a sort and the iotas among its operands, which it then need not read from memory. As
// XLA's backends/gpu/transforms/sort_iota_fusion.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseSortsWithIotas(Module& module, PassContext& context);

}  // namespace hilo
