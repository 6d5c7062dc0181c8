// Jacobi's rotations of pairs of rows, as HLO text: what eigenvalues and singular values have in common. In a
// round all $N rows are in pairs that are rotated at once, and in $Q rounds each row meets every other.
#pragma once

#include <string>

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

// The text with its parts in place. `state` is the shape of what a loop goes on with: a number and two
// arrays, the turned one and the turns.
//   $ROUNDS    the computations sum, any, and more_rounds: whether not all pairs were met
//   $PAIRING   of the round r: each row j with its other one p, as j and p, here and there ([$N,1]); `one`
//   $ANGLES    of d, e ($R[$B,$N]: each row's own diagonal element and its other one's) and g ($T[$B,$N]: the
//              one between them) the rotation that makes g zero: rows become c * own + t * other
//   $SWEEP     the computation sweep, which does `rotate` until more_rounds says no
std::string withRotations(std::string_view text, std::string_view state);

// $Q, $HALF and $ALONE of that many rows.
Expansion::Replacements rotationNames(int64_t rows);

}  // namespace hilo::library
