// What fusing saves and what it costs on a processor with caches: a rough model in nanoseconds of one thread,
// good enough to tell a recomputed addition from a recomputed exponential.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// What a kernel of its own costs beside its work: the thunk, the call, the first touch of its result.
inline constexpr double kKernelNs = 500;

// The dimension whose neighbours lie side by side: the layout's first, the last without one. Rank above 0.
int64_t denseDimension(Shape array);

// One pass over the bytes of an array, read or written.
double memoryNs(Shape array);

// The work on one element of the result, its operands given. Of a reduction: for each element folded in.
double elementWorkNs(const Instruction& instruction);

// How many elements of operand `index` are worked out when `evaluations` elements of the user are. Scalars
// do not change inside the loop and count once.
double operandEvaluations(const Instruction& user, size_t index, double evaluations);

}  // namespace hilo
