// A stream of the driver, which waits for no other.
#pragma once

#include "core/runtime/device/cuda/cuda_context.h"
#include "core/runtime/device/device.h"

namespace hilo {

class CudaStream final : public Stream {
 public:
  static Result<std::unique_ptr<CudaStream>> make(const CudaContext& context);
  // Work it was given is still done.
  ~CudaStream() override;

  Result<DeviceAddress> allocate(int64_t bytes) override;
  Status free(DeviceAddress address) override;
  Status copyIn(DeviceAddress to, std::span<const std::byte> from) override;
  Status copyOut(std::span<std::byte> to, DeviceAddress from) override;
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes) override;
  Status fill(DeviceAddress to, std::byte value, int64_t bytes) override;
  Status launch(const DeviceKernel& kernel, const LaunchShape& shape,
                std::span<const void* const> arguments) override;
  Status record(Event& event) override;
  Status waitFor(Event& event) override;
  Status synchronize() override;
  void* native() override { return stream_; }

 private:
  CudaStream(const CudaContext& context, DriverStream stream) : context_(context), stream_(stream) {}
  const CudaContext& context_;
  DriverStream stream_;
};

}  // namespace hilo
