// Writes a loop's iterations out: all of them, or two in each iteration, so that values of two iterations lie
// in two buffers and work of one overlaps with communication of the other. Each copy has channels and
// scheduling groups of its own, and keeps the control dependencies among its instructions. Behaves like XLA's
// service/while_loop_unroller.cc and backends/gpu/transforms/double_buffer_loop_unrolling.cc; that also lets
// each copy wait for all of the one before it, for kernels of one stream, which the schedule decides here.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/loops/body_copier.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/loops/slice_offsets.h"

namespace hilo {

// The steps, for passes of loops. restoreOrder() puts instructions in order afterwards.
// The first iteration in front of the loop. It must be known that there is one.
Status peelFirstIteration(LoopParts& parts, CopyNumbers& numbers);
// `factor` iterations in one; its trips must be a multiple. `each`: of which iterations the first copy is,
// the others of those behind. The loop's configuration is for the caller to bring up to date.
Status unrollBody(LoopParts& parts, int64_t factor, CopyNumbers& numbers, const CopiedIterations& each = {});
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

// Of which loops: Auto two iterations in one of those with a collective in their body (started or not),
// DoubleBuffer of all, FullUnroll all iterations in one, Manual what the loop's attribute
// _xla_loop_unroll_strategy says, "double-buffer" or "full".
enum class UnrollStrategy : uint8_t { Auto, DoubleBuffer, FullUnroll, Manual };
struct LoopBuffering {
  UnrollStrategy strategy = UnrollStrategy::Auto;
};
// Of loops with at least two trips; of an odd number of iterations, two in one, the first runs in front. The
// same error kinds.
Result<bool> doubleBufferLoops(Module& module, PassContext& context, const LoopBuffering& buffering = {});

}  // namespace hilo
