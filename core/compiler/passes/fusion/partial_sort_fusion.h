// Makes one fusion of a sort and the slices that take the first elements of its lines
// (core/analysis/partial_sort.h): these are chosen, and the others never put in order. So compilers write the
// k largest that have no operation for it.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fusePartialSorts(Module& module, PassContext& context);

}  // namespace hilo
