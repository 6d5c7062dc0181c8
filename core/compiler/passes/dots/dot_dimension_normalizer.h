// Brings the contracting dimensions of a dot together on each side and makes one of them. Free dimensions
// stay apart, as by default in xla/hlo/transforms/dot_dimension_normalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> normalizeDotDimensions(Module& module, PassContext& context);

}  // namespace hilo
