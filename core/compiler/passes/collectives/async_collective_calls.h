// Makes collectives of the custom calls by which JAX starts and awaits them: NAME-start and NAME-done, NAME
// being all-gather, all-reduce, reduce-scatter, all-to-all or collective-permute, become an async-start and
// an async-done of that collective. What it needs to know is JSON in the frontend attribute
// async_collective_config of the start, or else its backend_config. As XLA's
// service/async_collective_custom_call_rewriter.cc without its legacy form.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Error kind: "collective-config", of a configuration that lacks something or does not fit.
Result<bool> rewriteAsyncCollectiveCalls(Module& module, PassContext& context);

}  // namespace hilo
