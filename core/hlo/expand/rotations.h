// Jacobi's rotations of pairs of rows, as HLO text: what eigenvalues and singular values have in common. In a
// round all $N rows are in pairs that are rotated at once, and in $Q rounds each row meets every other.
#pragma once

#include <string>

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

// The text with its two parts in place:
//   $PAIRING   of the round r: each row j with its other one p, as j and p, here and there ([$N,1]); `one`
//   $ANGLES    of d, e ($R[$B,$N]: each row's own diagonal element and its other one's) and g ($T[$B,$N]: the
//   one
//              between them) the rotation that makes g zero: rows become c * own + t * other
std::string withRotations(std::string_view text);

// $Q, $HALF and $ALONE of that many rows.
Expansion::Replacements rotationNames(int64_t rows);

}  // namespace hilo::library
