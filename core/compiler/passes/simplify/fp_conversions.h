// Drops a conversion to a narrower float and back: the value keeps what precision it has. Where
// xla_allow_excess_precision is on. As XLA's hlo/transforms/simplifiers/simplify_fp_conversions.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyFloatConversions(Module& module, PassContext& context);

}  // namespace hilo
