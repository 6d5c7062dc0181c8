// Evaluates an instruction whose operands are all constants, broadcast constants or iotas, at least one of
// them a constant, and puts the value in its place. Not folded, as in XLA (hlo_constant_folding.cc):
// broadcast, iota, fft, while, anything random, ordering or with side effects or control dependencies,
// large results and operands; and, ours, elided constants, whose values were never printed. A value of which
// all elements are the same becomes a broadcast of one. Before that, a constant that all callers of a
// computation pass is put into it.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct FoldingLimits {
  int64_t elements = 45'000'000;  // of an operand or result; XLA's kMaximumConstantSizeElements
  // Instructions evaluated for one fold: what takes more is a loop in disguise, and left to run time.
  int64_t steps = 10'000'000;
  // Also what is made of broadcasts alone, and loops that start with constants.
  bool aggressive = false;
};
Result<bool> foldConstants(Module& module, PassContext& context, const FoldingLimits& limits = {});

}  // namespace hilo
