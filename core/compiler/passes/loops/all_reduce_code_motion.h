// Takes all-reduces out of loops that only add up their results, or only store them slice by slice: the loop
// works on each device's own values, and one all-reduce behind it does the work of all iterations.
//
//   loop: a += all-reduce(b)           becomes   loop: d += b;  a += all-reduce(d)
//   loop: a[i] = all-reduce(b)         becomes   loop: a[i] = b;  a = all-reduce(a)
//
// The first for sums, with a zero to start from; what a sum may pass on the way to its accumulator are
// converts, reshapes, transposes, slices, a select between it and zero that chooses alike on all devices, and
// a factor all devices share. The second for sums, products, minima and maxima. Sums of floats are added in
// another order, and rounded in the type they are stored in. Behaves like XLA's
// service/while_loop_all_reduce_code_motion.cc without its preparing passes and its scatter pattern.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AllReduceMotionOptions {
  // Also reduce-scatters that are added to an accumulator, which then has the size of their operand.
  bool reduceScatters = false;
  // Reduce-scatters also where converts and transposes stand between them and the addition.
  bool followsScatters = true;
  // Of an all-reduce made for stored slices, in bytes.
  int64_t maxStoredBytes = int64_t{1} << 30;
};

// Error kinds: "already-scheduled", "module-too-large", "malformed-module".
Result<bool> moveAllReducesOutOfLoops(Module& module, PassContext& context,
                                      const AllReduceMotionOptions& options = {});

}  // namespace hilo
