// Tuples before orders are chosen: each array has one instruction, and calls whose results a library or the
// other device decides state how they lie.
#pragma once

#include "core/compiler/passes/layout/library_orders.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// What is taken of a tuple that is made here becomes what it was made of, and is taken once, as it lies, of
// any other. Convolutions give what cuDNN gives, sends and receives row-major arrays. True where changed.
bool settleTupleElements(Computation& computation, const GpuLayoutSettings& settings);

// Gives a value, and what is taken of it, this shape. False where it had it.
bool setShapeAndElements(Instruction& value, Shape shape);
// Whether all arrays of both lie in the same orders, so far as they lie in nothing but an order.
bool lieTheSame(Shape a, Shape b);

}  // namespace hilo
