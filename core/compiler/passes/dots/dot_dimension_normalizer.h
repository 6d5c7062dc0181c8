// Brings the contracting dimensions of a dot together on each side and makes one of them; if asked, also the
// free ones, which a reshape behind the dot takes apart again. Reshapes in front of the dot go. As
// xla/hlo/transforms/dot_dimension_normalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DotNormalForm {
  bool mergeFree = false;
};

Result<bool> normalizeDotDimensions(Module& module, PassContext& context, const DotNormalForm& form = {});

}  // namespace hilo
