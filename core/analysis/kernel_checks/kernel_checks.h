// What is wrong with a kernel's use of the memory and barriers its groups share: it is played, group by group
// as far as each can go, and every access is held to what its group knows by then. Which group goes first
// makes no difference to what is known.
#pragma once

#include "core/analysis/kernel_checks/kernel_program.h"
#include "core/base/cancel.h"
#include "core/base/diagnostic.h"

namespace hilo {

// Kinds:
//   "deadlock"            groups wait for what nobody will do; the message names the slot, the notes the
//   others "missed-phase"        a barrier may be two phases further when a group waits for it "bytes-left"
//   a barrier expects bytes that no copy brings, or the reverse "unordered-accesses"  one group writes what
//   another may still read or write "missing-fence"       an asynchronous access may not see what was written
//   from registers "missing-commit"      a copy is in no group that a wait could wait for "unfinished-copy"
//   the kernel ends before a copy has read its source; also "unfinished-multiply" "overlapping-refs"    what
//   is read is what was written through another ref to the same place "used-after-free", "used-before-alloc",
//   "tensor-memory-full", "tensor-memory-left" "semaphore-left"      a semaphore holds more or less at the
//   end than before "cluster-barrier"     arrivals and waits do not take turns
// Each once for a place and kind; at most 100. Empty: nothing is wrong. Their lines are those of the events.
Diagnostics checkKernel(const KernelProgram& program, const CancelToken& cancel = {});

}  // namespace hilo
