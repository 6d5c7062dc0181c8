// Gathers and scatters on parts of the dimensions that their indices pick along.
#pragma once

#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/reshard.h"

namespace hilo {

// Indices along factors that are cut count from the start of the part. Those of a gather are clamped to the
// whole array before, as they are where it is whole.
void countFromParts(LocalBuilder& builder, const Instruction& instruction, const OpFactors& factors,
                    const Tiling& tiling, std::vector<Part>& operands);

// Zero in place of what a gather picked beside its part. `operands` as countFromParts left them.
Instruction* onlyFromHere(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                          const std::vector<Part>& operands, Instruction* gather);

// An update of an array of which each device has a part: the part gets as many elements on either side as
// the update has, so that what of the update lies beside the part falls there; onlyToHere drops these.
void widenParts(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                std::vector<Part>& operands);
Instruction* onlyToHere(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                        Instruction* update);

}  // namespace hilo
