// Lets a dot read its operands as they lie before a transpose: its dimension numbers say which dimension is
// which, as long as the free ones keep their order. As XLA's service/transpose_folding.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct TransposeFoldingSettings {
  bool foldDots = true;
};
Result<bool> foldTransposes(Module& module, PassContext& context,
                            const TransposeFoldingSettings& settings = {});

}  // namespace hilo
