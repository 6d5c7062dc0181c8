// Which part of a gathered or reduced array each device of the module takes by a dynamic-slice.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The one dimension that a slice cuts; nullopt where it cuts none, or more.
std::optional<size_t> cutDimension(const Instruction& slice);
// Where the slice starts along a dimension on each device, by the device's flattened id; nullopt where that
// is not known.
std::optional<std::vector<int64_t>> offsetsOnDevices(const Instruction& slice, size_t dimension);
// Whether each device's slice starts at its place in its group of the collective, times `part`.
bool takesOwnParts(const Instruction& slice, const Instruction& collective, size_t dimension, int64_t part);

}  // namespace hilo
