// Makes the branches of a conditional take and give tuples, of one element where they took or gave an array.
// As xla/hlo/transforms/simplifiers/conditional_canonicalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> canonicalizeConditionals(Module& module, PassContext& context);

}  // namespace hilo
