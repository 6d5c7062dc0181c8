// The order the cpu engine runs instructions in: the memory scheduler's where it needs less memory than the
// one there is, and where nobody can tell: what draws random numbers, talks to others or has another effect
// keeps its order, and what writes over its operand stays behind those who read it, which would otherwise be
// copied. What XLA's cpu_compiler.cc does with its HloMemoryScheduler.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> runCpuScheduler(Module& module, PassContext& context);

}  // namespace hilo
