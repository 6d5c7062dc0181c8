#include "core/runtime/device/cuda/cuda_context.h"

namespace hilo {

Result<std::unique_ptr<CudaContext>> CudaContext::retain(std::shared_ptr<const Driver> driver,
                                                         DriverDevice device) {
  DriverContext context = nullptr;
  TRY_STATUS(driver->call(driver->primaryContextRetain, &context, device));
  return std::unique_ptr<CudaContext>(new CudaContext(std::move(driver), device, context));
}

// A context that a kernel broke cannot be released either, and nobody could do anything about it.
CudaContext::~CudaContext() { (void)driver_->call(driver_->primaryContextRelease, device_); }

}  // namespace hilo
