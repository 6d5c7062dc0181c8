// Makes one all-reduce of two whose results are combined by the same operation, where nothing else reads
// them: all-reduce(x) + all-reduce(y) = all-reduce(x + y). Between an all-reduce and the operation may stand
// reshapes, slices and pads with the operation's neutral element, as long as no more is reduced than before;
// an equal dynamic-slice on both sides, which is done behind the one all-reduce; and, where asked,
// conversions to a type that holds all values of the narrower one, which the all-reduce then has. As
// xla/service/all_reduce_reassociate.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ReassociatedAllReduces {
  bool converted = false;
};

Result<bool> reassociateAllReduces(Module& module, PassContext& context,
                                   const ReassociatedAllReduces& which = {});

}  // namespace hilo
