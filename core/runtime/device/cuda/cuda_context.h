// The primary context of a GPU, which libraries of the same process share. Whoever calls the driver for it
// does so by call(), which makes the context that of the calling thread.
#pragma once

#include "core/runtime/device/cuda/driver.h"

namespace hilo {

class CudaContext {
 public:
  // Error kinds: those of the driver.
  static Result<std::unique_ptr<CudaContext>> retain(std::shared_ptr<const Driver> driver,
                                                     DriverDevice device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const Driver& driver() const { return *driver_; }
  DriverContext handle() const { return context_; }
  template <typename Function, typename... A>
  Status call(const Function& function, A... arguments) const {
    TRY_STATUS(driver_->call(driver_->contextSetCurrent, context_));
    return driver_->call(function, arguments...);
  }

 private:
  CudaContext(std::shared_ptr<const Driver> driver, DriverDevice device, DriverContext context)
      : driver_(std::move(driver)), device_(device), context_(context) {}

  std::shared_ptr<const Driver> driver_;
  DriverDevice device_;
  DriverContext context_;
};

}  // namespace hilo
