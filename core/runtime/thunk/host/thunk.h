// What the thunks of a program do on the host, one kind a file. Called by the executor when everything the
// thunk reads has been written and nobody else uses what it writes.
#pragma once

#include <functional>
#include <span>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/device/host/thread_pool.h"
#include "core/runtime/program/program.h"
#include "core/runtime/thunk/custom_calls.h"
#include "core/runtime/thunk/device_link.h"

namespace hilo {

// What a thunk may use of the run it is part of.
struct ThunkContext {
  const Program& program;
  DeviceLink& link;
  const CustomCalls& customCalls;
  std::span<std::byte* const> bases;  // of the allocations
  std::span<const KernelCall> kernels;
  ThreadPool& threads;
  const CancelToken& cancel;
  // Runs a sequence of the program to its end, on the calling thread and others.
  std::function<Status(uint32_t)> runSequence;
  // Runs one of Program::hosted on arrays in the order of its parameters and results.
  std::function<Status(uint32_t program, std::vector<const std::byte*> operands,
                       std::vector<std::byte*> results)>
      runHosted = nullptr;
  // Which byte of each allocation lies at its base; none: the first.
  std::span<const int64_t> begins = {};
  // The one being run.
  const Thunk* thunk = nullptr;

  std::byte* at(const BufferSlice& slice) const {
    return bases[slice.allocation] + (slice.offsetBytes - (begins.empty() ? 0 : begins[slice.allocation]));
  }
};

#define THUNK(name, ...) Status execute(const name##Thunk& thunk, const ThunkContext& context);
HILO_THUNKS(THUNK)
#undef THUNK

// What custom calls do before anything of a run is executed; memory is there already.
Status startCustomCalls(const ThunkContext& context);

// Which branch it takes: `selector` is its pred, or its s32.
size_t branchChosen(const ConditionalThunk& thunk, const std::byte* selector);

// Error kinds: "cancelled", and what a kind of thunk says of its own.
Status execute(const Thunk& thunk, const ThunkContext& context);

}  // namespace hilo
