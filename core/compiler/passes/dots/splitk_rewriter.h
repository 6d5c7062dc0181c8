// Cuts the sum of a dot into parts that a GPU does side by side, where that is estimated to be faster: the
// parts become a batch dimension, and a reduction adds what they give. The estimate counts waves of tiles of
// 128 by 128 on the device's processors, bytes, and the launch of the reduction. Sums that the parts do not
// divide are padded. As XLA's backends/gpu/transforms/splitk_rewriter.cc. Remark: "split", with the parts.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct SplitKSettings {
  int64_t processors = 132;
  int64_t capability = 90;  // 10 times the device's compute capability
  int64_t forced = 0;       // parts; 0: as estimated
};
Result<bool> rewriteSplitK(Module& module, PassContext& context, const SplitKSettings& settings = {});

}  // namespace hilo
