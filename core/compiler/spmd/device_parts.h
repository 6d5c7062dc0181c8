// Whole values cut into what each device holds, and put together again.
#pragma once

#include "core/compiler/spmd/tiling.h"

namespace hilo {

// One literal a device. What lies beside the array has every bit set (of pred: true), so that whoever takes
// it for data is found out.
std::vector<Literal> cutLiteral(const Literal& whole, const Tilings& tilings, int64_t partitions);

// The whole value. Error kind "copies-differ" when devices that should hold the same part do not.
Result<Literal> joinLiterals(Shape global, const Tilings& tilings, std::span<const Literal> parts);

}  // namespace hilo
