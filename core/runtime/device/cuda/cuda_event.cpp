#include "core/runtime/device/cuda/cuda_event.h"

#include <cmath>

namespace hilo {

Result<std::unique_ptr<CudaEvent>> CudaEvent::make(const CudaContext& context) {
  DriverEvent event = nullptr;
  TRY_STATUS(context.call(context.driver().eventCreate, &event, 0U));
  return std::unique_ptr<CudaEvent>(new CudaEvent(context, event));
}

CudaEvent::~CudaEvent() { (void)context_.call(context_.driver().eventDestroy, event_); }

Result<bool> CudaEvent::isDone() {
  const Driver& driver = context_.driver();
  TRY_STATUS(driver.call(driver.contextSetCurrent, context_.handle()));
  const DriverResult result = driver.eventQuery.pointer(event_);
  if (result == kDriverNotReady) return false;
  if (result != kDriverDone) return std::unexpected(driver.failure(result, driver.eventQuery.symbol).error());
  return true;
}

Status CudaEvent::wait() { return context_.call(context_.driver().eventSynchronize, event_); }

Result<int64_t> CudaEvent::nsSince(Event& start) {
  float milliseconds = 0;
  TRY_STATUS(context_.call(context_.driver().eventElapsedTime, &milliseconds,
                           static_cast<CudaEvent&>(start).event_, event_));
  return std::llround(double{milliseconds} * 1e6);
}

}  // namespace hilo
