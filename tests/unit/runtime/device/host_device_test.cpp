// The host as a device, and beside it, in the tests of any device, a GPU whose driver works on the host.
#include "core/runtime/device/host/host_device.h"

#include <gtest/gtest.h>

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

Result<std::unique_ptr<Device>> makeHost() { return makeHostDevice(); }
Result<std::unique_ptr<Device>> makeCudaOnTheHost() {
  newFakeDriver();
  return openCudaDevice(loadFakeDriver(), 0);
}

}  // namespace

std::vector<DeviceKind> deviceKinds() {
  return {{"Host", makeHost, hostKernels}, {"Cuda", makeCudaOnTheHost, hostKernels}};
}

namespace {

TEST(HostDevice, RefusesALaunchWithClustersOrSharedMemory) {
  class NoKernel final : public DeviceKernel {
    const KernelFacts& facts() const override { return facts_; }
    KernelFacts facts_;
  } kernel;
  const auto stream = makeHostDevice()->makeStream().value();
  EXPECT_EQ(stream->launch(kernel, {.cluster = {.x = 2}}, {}).error().kind, "wrong-launch");
  EXPECT_EQ(stream->launch(kernel, {.sharedBytes = 16}, {}).error().kind, "wrong-launch");
}

}  // namespace
}  // namespace hilo
