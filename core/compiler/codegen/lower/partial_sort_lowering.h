// A sort of which only the first elements are used.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

// False when the fusion is not a sort and slices of it (core/analysis/partial_sort.h). Error
// kinds as compileModule.
Result<bool> lowerPartialSort(const Instruction& fusion, LoweringContext& context);

}  // namespace hilo
