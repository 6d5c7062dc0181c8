// Within each computation, replaces an instruction by an earlier one with the same opcode, shape and layout,
// operands (in any order, of what is commutative) and attributes. Constants are equal by bits. Instructions
// with side effects, parameters, and those with control dependencies stay. Matches XLA's HloCSE,
// layout-sensitive (hlo_cse.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct CseSettings {
  bool onlyScalars = false;
  bool ignoreControlDependencies = false;
};
Result<bool> eliminateCommonSubexpressions(Module& module, PassContext& context,
                                           const CseSettings& settings = {});

}  // namespace hilo
