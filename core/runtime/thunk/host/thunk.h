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
