// A module of the driver: PTX, which it compiles, or a cubin.
#pragma once

#include "core/runtime/device/cuda/cuda_context.h"
#include "core/runtime/device/device.h"

namespace hilo {

class CudaCode final : public DeviceCode {
 public:
  // `device`: what of shared memory and clusters its kernels may use. Error kinds: those of the driver; notes
  // hold what its compiler says of the PTX. Must outlast the kernels and the work that runs them.
  static Result<std::unique_ptr<CudaCode>> load(const CudaContext& context, const DeviceFacts& device,
                                                std::span<const std::byte> code);
  ~CudaCode() override;

  // May then be launched with all the shared memory that the device gives a block, and with large clusters.
  Result<std::unique_ptr<DeviceKernel>> kernel(const std::string& name) override;
  Result<DeviceGlobal> global(const std::string& name) override;

 private:
  CudaCode(const CudaContext& context, const DeviceFacts& device, DriverModule module)
      : context_(context), device_(device), module_(module) {}
  const CudaContext& context_;
  const DeviceFacts& device_;
  DriverModule module_;
};

class CudaKernel final : public DeviceKernel {
 public:
  CudaKernel(DriverKernel kernel, const KernelFacts& facts) : kernel_(kernel), facts_(facts) {}
  DriverKernel handle() const { return kernel_; }
  const KernelFacts& facts() const override { return facts_; }

 private:
  DriverKernel kernel_;
  KernelFacts facts_;
};

}  // namespace hilo
