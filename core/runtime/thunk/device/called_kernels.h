// Kernels of a device's program that thunks of the host call: the order of a sort, the sum of an all-reduce.
// Each call copies its arrays into memory that device and host share, launches, and copies back.
#pragma once

#include <mutex>
#include <vector>

#include "core/runtime/device/device.h"
#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/program/program.h"

namespace hilo {

class CalledKernels {
 public:
  // `kernels` by number; all outlive this. What a kernel takes follows from who calls it.
  CalledKernels(const Program& program, Device& device,
                std::span<const std::unique_ptr<DeviceKernel>> kernels);

  std::span<const KernelCall> calls() const { return calls_; }
  // The first call that failed since this was last asked. Those after it did nothing.
  Status takeFailure();

 private:
  // Bytes of each array an iteration, in the order of the kernel's buffers.
  struct Buffers {
    std::vector<int64_t> bytes;
  };
  void noteCallers(const Program& program);
  void call(uint32_t kernel, void* const* buffers, int64_t count);
  Status launch(uint32_t kernel, void* const* buffers, int64_t count);

  const Program& program_;
  Device& device_;
  std::span<const std::unique_ptr<DeviceKernel>> kernels_;
  std::vector<Buffers> buffers_;  // by kernel; empty: nobody calls it
  std::vector<KernelCall> calls_;
  std::mutex mutex_;
  std::unique_ptr<Stream> stream_;  // made at the first call
  std::unique_ptr<HostMemory> shared_;
  Status failure_;
};

}  // namespace hilo
