// Arrays between registers and memory, by the threads of a warpgroup.
#pragma once

#include "core/compiler/codegen/warpgroup/memory_view.h"
#include "core/compiler/codegen/warpgroup/register_array.h"

namespace hilo::warpgroup {

// Both of one shape.
RegisterArray loadArray(ThreadCode& code, const MemoryView& view, const RegisterMap& map);
void storeArray(ThreadCode& code, const MemoryView& view, const RegisterArray& array);

}  // namespace hilo::warpgroup
