// Reduces integers of 16 bits among devices as integers of 32 bits, which libraries can do: all-reduces, and
// reduce-scatters unless told otherwise. As xla/service/all_reduce_promotion.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct PromotedReductions {
  bool onlyAllReduces = false;
};

Result<bool> promoteAllReduces(Module& module, PassContext& context, const PromotedReductions& which = {});

}  // namespace hilo
