// An event of the driver.
#pragma once

#include "core/runtime/device/cuda/cuda_context.h"
#include "core/runtime/device/device.h"

namespace hilo {

class CudaEvent final : public Event {
 public:
  static Result<std::unique_ptr<CudaEvent>> make(const CudaContext& context);
  ~CudaEvent() override;

  DriverEvent handle() const { return event_; }
  Result<bool> isDone() override;
  Status wait() override;
  // To half a microsecond, the driver's resolution.
  Result<int64_t> nsSince(Event& start) override;

 private:
  CudaEvent(const CudaContext& context, DriverEvent event) : context_(context), event_(event) {}
  const CudaContext& context_;
  DriverEvent event_;
};

}  // namespace hilo
