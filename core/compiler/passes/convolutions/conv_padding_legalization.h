// Takes padding that cuDNN has no way to state out of convolutions, the calls and those whose kind is known:
// - forward: padding that differs between the sides, negative padding and dilated inputs become a pad and a
//   slice of the input; where that is so, a dilated window is a padded kernel;
// - of the filter: what one side has more than the other becomes a pad of the input;
// - of the input: the result has more elements on one side, which are cut off.
// Negative padding of the last two stays. As XLA's backends/gpu/transforms/conv_padding_legalization.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> legalizeConvPadding(Module& module, PassContext& context);

}  // namespace hilo
