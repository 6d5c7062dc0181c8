// Gives a fusion the stream of the work in it, where the fused computation names one other than the default
// (operation_queue_id in configurations), and copy-starts of scheduled modules a stream of their own. So it
// does to slices taken and stored asynchronously in scheduled modules, which it puts into a fusion for this.
// As XLA's backends/gpu/transforms/stream_attribute_annotator.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateStreams(Module& module, PassContext& context);

}  // namespace hilo
