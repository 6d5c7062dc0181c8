// Evaluates an instruction whose operands are all constants, broadcast constants or iotas, at least one of
// them a constant, and puts the value in its place. Not folded, as in XLA (hlo_constant_folding.cc):
// broadcast, iota, fft, while, anything random, ordering or with side effects or control dependencies,
// results or operands over 45 million elements; and, ours, elided constants, whose values were never printed.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> foldConstants(Module& module, PassContext& context);

}  // namespace hilo
