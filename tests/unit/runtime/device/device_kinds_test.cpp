// What the tests of any device run on here: a GPU whose driver works on the host.
#include <fstream>

#include "core/runtime/device/cuda/cuda_device.h"
#include "tests/unit/runtime/device/any_device.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

std::vector<std::byte> hostKernels() {
  std::ifstream in(HILO_TEST_KERNELS, std::ios::binary);
  const std::vector<char> object((std::istreambuf_iterator<char>(in)), {});
  const auto bytes = std::as_bytes(std::span(object));
  return {bytes.begin(), bytes.end()};
}

Result<std::unique_ptr<Device>> makeCudaOnTheHost() {
  newFakeDriver();
  return openCudaDevice(loadFakeDriver(), 0);
}

}  // namespace

std::vector<DeviceKind> deviceKinds() { return {{"Cuda", makeCudaOnTheHost, hostKernels}}; }

}  // namespace hilo
