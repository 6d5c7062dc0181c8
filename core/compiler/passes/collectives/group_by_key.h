// Begins collectives of one key (frontend attribute collective_group_key) together: an async-start of a
// computation with all of them, an async-done, and its elements in place of the collectives. As XLA's
// backends/gpu/transforms/group_collectives_by_key.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct GroupedCollectives {
  bool allGathers = true, reduceScatters = true, allReduces = true;
};

// A key that one collective alone has does nothing. Error kind "dependent-collectives": those of a key, or of
// several keys, need each other's values, and cannot begin together. Nothing is changed then.
Result<bool> groupByKey(Module& module, PassContext& context, const GroupedCollectives& which = {});

}  // namespace hilo
