// Gives a fusion the stream of the work in it, where the fused computation names one other than the default
// (operation_queue_id in configurations), and copy-starts of scheduled modules a stream of their own. As
// XLA's backends/gpu/transforms/stream_attribute_annotator.cc; slices in asynchronous computations of
// scheduled modules, which XLA puts into a fusion for this, are left.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateStreams(Module& module, PassContext& context);

}  // namespace hilo
