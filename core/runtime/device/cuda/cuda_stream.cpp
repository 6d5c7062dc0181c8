#include "core/runtime/device/cuda/cuda_stream.h"

#include <fmt/format.h>

#include "core/runtime/device/cuda/cuda_code.h"
#include "core/runtime/device/cuda/cuda_event.h"

namespace hilo {

Result<std::unique_ptr<CudaStream>> CudaStream::make(const CudaContext& context) {
  DriverStream stream = nullptr;
  TRY_STATUS(context.call(context.driver().streamCreate, &stream, kStreamNonBlocking));
  return std::unique_ptr<CudaStream>(new CudaStream(context, stream));
}

CudaStream::~CudaStream() { (void)context_.call(context_.driver().streamDestroy, stream_); }

Result<DeviceAddress> CudaStream::allocate(int64_t bytes) {
  DriverAddress address = 0;
  auto done = context_.call(context_.driver().memAllocAsync, &address, static_cast<size_t>(bytes), stream_);
  if (!done) {
    done.error().notes.push_back(fmt::format("{} bytes were asked for", bytes));
    return std::unexpected(std::move(done).error());
  }
  return static_cast<DeviceAddress>(address);
}

Status CudaStream::free(DeviceAddress address) {
  return context_.call(context_.driver().memFreeAsync, static_cast<DriverAddress>(address), stream_);
}

// The driver refuses to copy nothing to an address that is none.
Status CudaStream::copyIn(DeviceAddress to, std::span<const std::byte> from) {
  if (from.empty()) return {};
  return context_.call(context_.driver().memcpyHtoDAsync, static_cast<DriverAddress>(to), from.data(),
                       from.size(), stream_);
}

Status CudaStream::copyOut(std::span<std::byte> to, DeviceAddress from) {
  if (to.empty()) return {};
  return context_.call(context_.driver().memcpyDtoHAsync, to.data(), static_cast<DriverAddress>(from),
                       to.size(), stream_);
}

Status CudaStream::copy(DeviceAddress to, DeviceAddress from, int64_t bytes) {
  if (bytes == 0) return {};
  return context_.call(context_.driver().memcpyDtoDAsync, static_cast<DriverAddress>(to),
                       static_cast<DriverAddress>(from), static_cast<size_t>(bytes), stream_);
}

Status CudaStream::fill(DeviceAddress to, std::byte value, int64_t bytes) {
  if (bytes == 0) return {};
  return context_.call(context_.driver().memsetD8Async, static_cast<DriverAddress>(to),
                       std::to_integer<unsigned char>(value), static_cast<size_t>(bytes), stream_);
}

Status CudaStream::launch(const DeviceKernel& kernel, const LaunchShape& shape,
                          std::span<const void* const> arguments) {
  DriverLaunchAttribute cluster{.id = DriverLaunchAttribute::kClusterDimension,
                                .value = {.x = shape.cluster.x, .y = shape.cluster.y, .z = shape.cluster.z}};
  const bool hasClusters = shape.cluster != LaunchExtent();
  const DriverLaunch launch{.gridX = shape.grid.x,
                            .gridY = shape.grid.y,
                            .gridZ = shape.grid.z,
                            .blockX = shape.block.x,
                            .blockY = shape.block.y,
                            .blockZ = shape.block.z,
                            .sharedBytes = shape.sharedBytes,
                            .stream = stream_,
                            .attributes = hasClusters ? &cluster : nullptr,
                            .attributeCount = hasClusters ? 1U : 0U};
  // The driver reads the values and writes to none.
  auto** parameters = const_cast<void**>(arguments.data());
  void** const noExtra = nullptr;
  return context_.call(context_.driver().launchKernel, &launch,
                       static_cast<const CudaKernel&>(kernel).handle(), parameters, noExtra);
}

Status CudaStream::record(Event& event) {
  return context_.call(context_.driver().eventRecord, static_cast<CudaEvent&>(event).handle(), stream_);
}

Status CudaStream::waitFor(Event& event) {
  return context_.call(context_.driver().streamWaitEvent, stream_, static_cast<CudaEvent&>(event).handle(),
                       0U);
}

Status CudaStream::synchronize() { return context_.call(context_.driver().streamSynchronize, stream_); }

}  // namespace hilo
