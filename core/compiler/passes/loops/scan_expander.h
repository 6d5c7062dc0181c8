// Writes scans as loops: each iteration takes one element of every input along the scanned dimension, does
// the step with them and what is carried, and puts what it gives into the results. A scan of one step is that
// step. As XLA's service/scan_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ExpandedScans {
  bool associative = true;  // of more than one step
};

Result<bool> expandScans(Module& module, PassContext& context, const ExpandedScans& which = {});

}  // namespace hilo
