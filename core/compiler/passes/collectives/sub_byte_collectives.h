// Sends packed elements of less than a byte as bytes, which communication libraries know: all-gathers,
// all-to-alls, broadcasts and permutes of them. As XLA's
// hlo/transforms/simplifiers/sub_byte_collective_normalization.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sendSubBytesAsBytes(Module& module, PassContext& context);

}  // namespace hilo
