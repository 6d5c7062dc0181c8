// get-tuple-element(tuple(a, b), index=1) is b; tuple(get-tuple-element(t, 0), ..., get-tuple-element(t,
// n-1)) of a t with n elements is t. Matches XLA's TupleSimplifier.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyTuples(Module& module, PassContext& context);

}  // namespace hilo
