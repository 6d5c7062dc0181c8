// What the groups of threads of one block of a kernel do with memory they share, in order, as plain data:
// loops are unrolled, slots and phases are numbers. A group is whatever goes its own way: a warpgroup,
// as a rule.
//
//   ref a shared 0 8192              name, memory (shared, tensor, global), begin, size: bytes or columns
//   barrier full slots 2 arrivals 1
//   semaphore done 0                 and what it holds before the kernel
//   group load
//   repeat i 4                       to `end`; {i % 2} is a number then
//     wait empty[{i % 2}] {(i / 2 + 1) % 2}
//     expect full[{i % 2}] 8192
//     copy-in a full[{i % 2}] 8192
//   end
//   group compute
//     ...
//
// A part of a ref is a[0:4096]: offset and size. `@12` at the end of a line is the kernel's line it is of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

enum class KernelMemory : uint8_t { Shared, Tensor, Global };

struct KernelRef {
  std::string name;
  KernelMemory memory = KernelMemory::Shared;
  int64_t begin = 0, size = 0;  // bytes; of tensor memory columns
};

struct KernelBarrier {
  std::string name;
  int64_t slots = 1;
  int64_t arrivals = 1;
  size_t firstSlot = 0;  // of all slots of the program
};

struct KernelSemaphore {
  std::string name;
  int64_t initial = 0;
};

enum class KernelAction : uint8_t {
  Read,            // to registers
  Write,           // from registers
  CopyIn,          // from global memory, told to a barrier; asynchronous, as all with a barrier or a queue
  CopyOut,         // to global memory, in a group of its own
  CopyOutPending,  // the same, for `commit` to put in a group
  Commit,
  WaitCopies,  // until all but `amount` groups have read their sources
  Fence,       // what this group wrote is seen by asynchronous accesses
  Arrive,
  Expect,    // arrives, and `amount` bytes will come
  Wait,      // for the end of a phase of parity `amount`
  Multiply,  // wgmma: reads its refs
  WaitMultiply,
  TensorMultiply,  // tcgen05: writes its first ref, reads the others
  TensorCopy,      // the same, of a copy
  TensorCommit,    // arrives when all of these before are done
  Signal,
  Await,  // takes `amount` from a semaphore
  Sync,   // all groups of the block meet
  ClusterArrive,
  ClusterWait,
  Alloc,  // of a tensor ref
  Free,
};
std::string_view kernelActionName(KernelAction action);

struct KernelAccess {
  size_t ref = 0;
  int64_t begin = 0, size = 0;  // in its memory, not in the ref
};

struct KernelEvent {
  KernelAction action = KernelAction::Read;
  std::vector<KernelAccess> accesses;
  size_t object = 0;  // a slot of all slots, or a semaphore
  int64_t amount = 0;
  uint32_t line = 0;  // of the kernel's text; 0: unknown
};

struct KernelGroup {
  std::string name;
  std::vector<KernelEvent> events;
};

struct KernelProgram {
  std::vector<KernelRef> refs;
  std::vector<KernelBarrier> barriers;
  std::vector<KernelSemaphore> semaphores;
  std::vector<KernelGroup> groups;

  size_t slotCount() const;
  // "full[1]".
  std::string slotName(size_t slot) const;
};

inline constexpr size_t kMostKernelEvents = 200'000;

// Kind "kernel-program" with the line of the text, also for more events, slots or nesting than a kernel has.
Result<KernelProgram> parseKernelProgram(std::string_view text);

}  // namespace hilo
