// Kernels of reduce-windows whose windows hold all elements up to a place
// (core/analysis/cumulative_window.h): one pass over each line.
#pragma once

#include "core/analysis/cumulative_window.h"
#include "core/compiler/codegen/emit/element_emitter.h"

namespace hilo {

// Takes the elements of the result where they are.
using StoreElements = std::function<void(const ElementIndex&, const std::vector<Scalar>&)>;

// Writes the kernel's loops; how many iterations they have.
int64_t writeCumulative(KernelBuilder& k, ElementEmitter& elements, const Instruction& reduceWindow,
                        CumulativeWindow window, const StoreElements& store);

}  // namespace hilo
