// What an array's factor may take of a list of axes.
#pragma once

#include "core/compiler/spmd/shardy/projection.h"

namespace hilo::sdy {

// The longest outer part of axes that the array's factor can hold: not replicated or unreduced there, no more
// than it has if it is closed, and dividing its size where another factor lies further in.
Axes fittingWithin(const ArrayProjection& array, size_t factor, int64_t size, std::span<const AxisRef> axes);
// The longest outer part that no other factor of the array uses.
Axes fittingBeside(const ArrayProjection& array, size_t factor, std::span<const AxisRef> axes);
// Axes of a factor that operands and results agree on; in one direction only the sources' may be longer than
// what the others have.
Axes compatibleAxes(const Projection& projection, size_t factor, bool fromOperands, bool fromResults);

}  // namespace hilo::sdy
