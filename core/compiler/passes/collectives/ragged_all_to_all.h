// Offsets and sizes of ragged-all-to-alls as numbers of 64 bits; and ragged-all-to-alls as all-to-alls of
// padded parts, for what cannot send parts of different sizes. As XLA's
// backends/gpu/transforms/ragged_all_to_all_canonicalizer.cc and ragged_all_to_all_decomposer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> canonicalizeRaggedAllToAlls(Module& module, PassContext& context);

// Those whose groups differ in size stay. Error kind "unsupported-type": offsets of other than 64 bits, which
// canonicalizeRaggedAllToAlls makes.
Result<bool> decomposeRaggedAllToAlls(Module& module, PassContext& context);

}  // namespace hilo
