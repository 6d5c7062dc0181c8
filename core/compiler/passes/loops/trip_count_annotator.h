// Says in the configuration of each loop how often it runs (known_trip_count), which value counts, and how
// values move by which a loop that offloads to the host slices (dynamic_variables), where its computations
// tell; what was there is replaced. Behind the loop the value that counts becomes a constant. As XLA's
// hlo/transforms/while_loop_trip_count_annotator.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateTripCounts(Module& module, PassContext& context);

}  // namespace hilo
