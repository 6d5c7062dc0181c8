// Makes custom fusions ("__triton_collective") of the all-reduces that a kernel of the program does, as
// collective-kernel-strategy-annotator notes, with the warps of a block and the tile that each reduces. One
// that is done in two shots is reduced as an array of one dimension. Engines run what is inside. Left alone,
// by name: all-gathers, which have no such kernel, and tiles that the devices of a group cannot share. As
// XLA's backends/gpu/transforms/collectives/collective_fusion.cc, which ends with an error there.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseCollectives(Module& module, PassContext& context);

}  // namespace hilo
