// Drops spatial dimensions of size 1 without padding from convolutions of four spatial dimensions, since
// libraries take three at most. As XLA's hlo/transforms/expanders/convolution_4d_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandConvolutions4d(Module& module, PassContext& context);

}  // namespace hilo
