// Makes one reduce-scatter of two whose results are combined by the same operation, where nothing else reads
// them: reduce-scatter(x) + reduce-scatter(y) = reduce-scatter(x + y). Not where they belong to different
// scheduling groups; of two where one belongs to a group, the new one belongs to none. As
// xla/service/reduce_scatter_reassociate.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> reassociateReduceScatters(Module& module, PassContext& context);

}  // namespace hilo
