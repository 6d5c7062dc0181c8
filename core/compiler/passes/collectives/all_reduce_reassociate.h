// Makes one all-reduce of two whose results are combined by the same operation, where nothing else reads
// them: all-reduce(x) + all-reduce(y) = all-reduce(x + y). As xla/service/all_reduce_reassociate.cc, without
// its looking through slices, pads and conversions.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> reassociateAllReduces(Module& module, PassContext& context);

}  // namespace hilo
