// Tells reductions whose result depends on the order of their elements more than their type can bear: of
// floats of less than 32 bits, other than the greatest or least of them. It changes nothing. As XLA's
// service/debug/unstable_reduction_detector.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

enum class UnstableReductions : uint8_t { Ignored, Told, Refused };
struct ReductionChecks {
  UnstableReductions found = UnstableReductions::Told;
};

// Error kind where they are refused: "unstable-reduction".
Result<bool> detectUnstableReductions(Module& module, PassContext& context,
                                      const ReductionChecks& checks = {});

}  // namespace hilo
