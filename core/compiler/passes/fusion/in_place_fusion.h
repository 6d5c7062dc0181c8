// What may be computed in a kernel that writes its result over one of its operands: nothing that reads there
// after it was written. As XLA's service/instruction_fusion.cc (ShouldFuseInPlaceOp).
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether the kernel of `producer` may join that of `consumer`: members as places in `instructions`, the one
// whose value is stored first.
bool keepsInPlace(std::span<Instruction* const> instructions, std::span<const uint32_t> producer,
                  std::span<const uint32_t> consumer);

}  // namespace hilo
