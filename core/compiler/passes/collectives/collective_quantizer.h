// Sends narrow types among devices: a conversion to a wider type in front of an all-gather, all-to-all,
// collective-broadcast or collective-permute is done behind it, and one to a narrower type behind it in front
// of it. With the conversion goes what scales: a product or quotient with one number (behind a conversion to
// a wider type; before clamping to constants and converting to a narrower one), if the number is the same on
// all devices that the collective joins. Between may stand bitcasts, copies, reshapes and slices. As XLA's
// hlo/transforms/collectives/collective_quantizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> quantizeCollectives(Module& module, PassContext& context);

}  // namespace hilo
