// Writes a loop's iterations out: all of them, or two in each iteration, so that values of two iterations lie
// in two buffers and work of one overlaps with communication of the other. Each copy has channels and
// scheduling groups of its own, and keeps the control dependencies among its instructions. Behaves like XLA's
// service/while_loop_unroller.cc and backends/gpu/transforms/double_buffer_loop_unrolling.cc; what the
// compiler wrote of slices' offsets as functions of the iteration is dropped.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/loops/body_copier.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {

// The steps, for passes of loops. restoreOrder() puts instructions in order afterwards.
// The first iteration in front of the loop. It must be known that there is one.
Status peelFirstIteration(LoopParts& parts, CopyNumbers& numbers);
// `factor` iterations in one; its trips must be a multiple.
Status unrollBody(LoopParts& parts, int64_t factor, CopyNumbers& numbers);
// No loop left: `trips` copies in its place. The loop is removed.
Status unrollFully(LoopParts& parts, int64_t trips, CopyNumbers& numbers);

// XLA's UnrollConfig.
struct UnrollLimits {
  int64_t trips = 64;
  int64_t instructions = 800;  // trips times those of the body
};
// Loops without loops in them whose trips are known and few. Error kinds: "already-scheduled",
// "module-too-large", "malformed-module".
Result<bool> unrollLoops(Module& module, PassContext& context, const UnrollLimits& limits = {});

// Two iterations in one, of every loop with a collective in its body (started or not) and at least two trips;
// of an odd number the first runs in front. The same error kinds.
Result<bool> doubleBufferLoops(Module& module, PassContext& context);

}  // namespace hilo
