// Puts a constant that a loop starts with and carries unchanged into its body and condition, so that both can
// be simplified with it: outer loops first, so that it comes into the inner ones too. As
// xla/service/while_loop_constant_sinking.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct SunkConstants {
  bool broadcasts = false;  // of constants, too
  bool scalarsOnly = false;
};

Result<bool> sinkLoopConstants(Module& module, PassContext& context, const SunkConstants& which = {});

}  // namespace hilo
