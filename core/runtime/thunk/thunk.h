// What the thunks of a program do, one kind a file. Called by the executor when everything the thunk reads
// has been written and nobody else uses what it writes.
#pragma once

#include <functional>
#include <span>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/host_feed.h"
#include "core/runtime/collectives/communicator.h"
#include "core/runtime/device/host/thread_pool.h"
#include "core/runtime/program/program.h"
#include "plugins/sdk/custom_call.h"

namespace hilo {

// A compiled kernel: does iterations [begin, end) on its buffers, arguments first, then results.
using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end);

// Code made by our compiler has no type before its entry, where UndefinedBehaviorSanitizer would
// look for one.
#if defined(__clang__)
#define HILO_CALLS_COMPILED_CODE __attribute__((no_sanitize("function")))
#else
#define HILO_CALLS_COMPILED_CODE
#endif
HILO_CALLS_COMPILED_CODE inline void callKernel(KernelFunction kernel, void* const* buffers, int64_t begin,
                                                int64_t end) {
  kernel(buffers, begin, end);
}

// What a plug-in does for a target; null when none has a handler. Any thread.
using FindCustomCall = std::function<const HiloCustomCall*(std::string_view target)>;

// The device a program runs as, among the others of its run.
struct DeviceLink {
  Communicator& communicator;
  int64_t device = 0;
  // Thunks that keep their order alone touch what follows.
  HostFeed host;
  // By collective: what was started and is not done.
  std::vector<std::shared_ptr<BytesExchange>> started;
};

// What a thunk may use of the run it is part of.
struct ThunkContext {
  const Program& program;
  DeviceLink& link;
  const absl::flat_hash_map<std::string, const HiloCustomCall*>& customCalls;  // all that the program has
  std::span<std::byte* const> bases;                                           // of the allocations
  std::span<const KernelFunction> kernels;
  ThreadPool& threads;
  const CancelToken& cancel;
  // Runs a sequence of the program to its end, on the calling thread and others.
  std::function<Status(uint32_t)> runSequence;
  // The one being run.
  const Thunk* thunk = nullptr;

  std::byte* at(const BufferSlice& slice) const { return bases[slice.allocation] + slice.offsetBytes; }
};

#define THUNK(name, ...) Status execute(const name##Thunk& thunk, const ThunkContext& context);
#include "core/runtime/program/thunks.def"

// Error kinds: "cancelled", and what a kind of thunk says of its own.
Status execute(const Thunk& thunk, const ThunkContext& context);

}  // namespace hilo
