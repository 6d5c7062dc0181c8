// Notes in the metadata of each instruction the name it has once the module is scheduled, so that profiles
// can be matched when later passes rename it. Constants are left out. As
// xla/backends/gpu/transforms/scheduling_instruction_annotator.cc. Error kind "not-scheduled".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotateSchedulingNames(Module& module, PassContext& context);

}  // namespace hilo
