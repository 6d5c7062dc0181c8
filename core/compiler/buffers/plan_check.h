// Whether a buffer plan, XLA's or ours, can hold: no two values that are needed at the same time lie on the
// same bytes, unless they must share them or the later is written over the earlier in place. Live ranges hold
// both their ends, as XLA's do: what one step reads and what it writes are needed at the same time. Where
// they have but that step in common and it is a fusion or a custom call, it is a warning: its kernel may well
// read each element before it writes it.
#pragma once

#include "core/analysis/memory/memory_profile.h"

namespace hilo {

// Diagnostics of kind "buffers-overlap" and "outside-allocation", at most `limit`. Values are found by the
// names of their instructions; what the module does not have is skipped.
Diagnostics checkBufferPlan(const ValueLiveRanges& ranges, const BufferAssignment& plan, size_t limit = 20);
Diagnostics checkBufferPlan(const ValueLiveRanges& ranges, const PlanValues& values,
                            const BufferAssignment& plan, size_t limit = 20);

}  // namespace hilo
