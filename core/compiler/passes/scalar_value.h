// What an integer scalar is, worked out from the instructions that compute it: for offsets of slices in loops
// and on devices.
#pragma once

#include <functional>
#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

// The value of what the caller knows, such as a loop's counter or the partition's number; nullopt: it knows
// nothing of this instruction.
using KnownScalar = std::function<std::optional<int64_t>(const Instruction&)>;

// nullopt where something in it is not known, is no integer, overflows, or divides by zero, and where more
// than a few hundred instructions take part. Follows constants, tables of constants that are indexed by a
// dynamic-slice, arithmetic, comparisons, selects and conversions.
std::optional<int64_t> scalarValue(const Instruction& value, const KnownScalar& known);

}  // namespace hilo
