// Writes a broadcast whose dimensions are out of order as one in order and a transpose. As XLA's
// hlo/transforms/simplifiers/broadcast_canonicalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> canonicalizeBroadcasts(Module& module, PassContext& context);

}  // namespace hilo
