// Lets a dot or a convolution read its operands as they lie before a transpose: its dimension numbers say
// which dimension is which, as long as the free ones of a dot keep their order. As XLA's
// service/transpose_folding.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct TransposeFoldingSettings {
  bool foldDots = true;
  bool moveBatchDims = false;  // also where the batch dimensions of a dot lie elsewhere before the transpose
};
Result<bool> foldTransposes(Module& module, PassContext& context,
                            const TransposeFoldingSettings& settings = {});

}  // namespace hilo
