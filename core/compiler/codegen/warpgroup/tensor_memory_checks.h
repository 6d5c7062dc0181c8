// What a kernel takes of tensor memory, before code is written.
#pragma once

#include "core/compiler/codegen/warpgroup/launch_form.h"

namespace hilo::warpgroup {

inline constexpr int64_t kTensorColumns = 512;

// Columns that an array of so many takes: a power of two, at least 32.
int64_t allocatedColumns(int64_t columns);

// "kernel-lowering" at the operation's line: more than the 512 columns there are at once, what is taken and
// not freed or freed twice, used after it is freed, or taken when no more may be; blocks that share it.
Status checkTensorMemory(const inference::KernelDescription& kernel);

}  // namespace hilo::warpgroup
