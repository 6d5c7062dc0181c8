// Makes calls that are marked as a group of collectives (frontend attribute _collectives_group) asynchronous:
// each runs a copy of what it called. As XLA's
// backends/gpu/transforms/explicit_collectives_group_async_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> wrapCollectiveGroups(Module& module, PassContext& context);

}  // namespace hilo
