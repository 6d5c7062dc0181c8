// Says in the configuration of each loop how often it runs (known_trip_count), and which value counts, where
// its computations tell. As XLA's hlo/transforms/while_loop_trip_count_annotator.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateTripCounts(Module& module, PassContext& context);

}  // namespace hilo
