// Drops from a sort of several arrays those that its comparator does not look at and nothing takes out of
// its result. As xla/hlo/transforms/simplifiers/sort_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifySorts(Module& module, PassContext& context);

}  // namespace hilo
