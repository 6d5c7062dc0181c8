// The GPU of this machine: the tests of any device. Where the driver or the GPU is missing they are skipped,
// with the reason.
#include "core/runtime/device/cuda/cuda_device.h"

#include "tests/unit/runtime/device/add_ptx.h"
#include "tests/unit/runtime/device/any_device.h"

namespace hilo {
namespace {

Result<std::unique_ptr<Device>> makeGpu() {
  TRY(auto driver, Driver::load());
  return openCudaDevice(std::move(driver), 0);
}

}  // namespace

std::vector<DeviceKind> deviceKinds() { return {{"Gpu", makeGpu, addPtx}}; }

}  // namespace hilo
