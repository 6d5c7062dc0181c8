// Makes a constant of every array without elements. As XLA's
// hlo/transforms/simplifiers/zero_sized_hlo_elimination.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> eliminateZeroSized(Module& module, PassContext& context);

}  // namespace hilo
