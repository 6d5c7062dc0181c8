// Makes what is annotated to run on a stream of its own (frontend attribute _xla_stream_annotation)
// asynchronous: a call, or any other operation as a call of a computation that holds it. As XLA's
// backends/gpu/transforms/explicit_stream_annotation_async_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Not collectives, nor starts and dones of any kind, nor anything within fusions and asynchronous work.
Result<bool> wrapStreamAnnotations(Module& module, PassContext& context);

}  // namespace hilo
