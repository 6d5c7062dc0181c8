// Moves conversions so that data is moved in the narrower type: one that widens goes behind a reshape,
// transpose, slice or broadcast of it, one that narrows in front. As XLA's
// hlo/transforms/simplifiers/convert_mover.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> moveConverts(Module& module, PassContext& context);

}  // namespace hilo
