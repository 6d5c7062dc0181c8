// Lets dots and convolutions give the more precise of their operands' types where they were to give a less
// precise one, and converts that. As XLA's hlo/transforms/simplifiers/result_caster.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> castResults(Module& module, PassContext& context);

}  // namespace hilo
