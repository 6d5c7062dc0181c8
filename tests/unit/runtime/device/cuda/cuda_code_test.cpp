// Modules and kernels of the driver, and how kernels are launched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/device/cuda/cuda_device.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

class CudaCodeTest : public testing::Test {
 protected:
  Result<std::unique_ptr<DeviceCode>> load(std::string_view text) {
    return device->load(std::as_bytes(std::span(text)));
  }
  // Launches add_s32 on one element; gives what the driver was told.
  std::string launched(const LaunchShape& shape) {
    const auto code = load(".version 8.0").value();
    const auto kernel = code->kernel("add_s32").value();
    const auto stream = device->makeStream().value();
    std::vector<int32_t> value(64, 1), sum(64);
    int32_t *from = value.data(), *to = sum.data();
    const void* arguments[] = {&from, &to};
    EXPECT_TRUE(stream->launch(*kernel, shape, arguments).has_value());
    const auto call = std::ranges::find_if(
        fake.calls, [](const std::string& line) { return line.starts_with("cuLaunchKernelEx"); });
    return call == fake.calls.end() ? "" : *call;
  }

  FakeDriver& fake = newFakeDriver();
  std::unique_ptr<Device> device = openCudaDevice(loadFakeDriver(), 0).value();
};

TEST_F(CudaCodeTest, GivesPtxToTheDriverEndingInAZero) {
  // Of a longer text the driver must see the first part alone.
  const std::string_view text = ".version 8.0 and more";
  ASSERT_TRUE(load(text.substr(0, 12)).has_value());
  EXPECT_THAT(fake.calls, Contains("cuModuleLoadDataEx .version 8.0"));
}

TEST_F(CudaCodeTest, TellsWhatTheDriversCompilerSaid) {
  fake.failing["cuModuleLoadDataEx"] = 218;
  fake.compilerLog = "ptxas application ptx input, line 3; error\n\nptxas fatal\n";
  const auto code = load(".version 8.0");
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().kind, "malformed-kernel");
  EXPECT_EQ(code.error().message,
            "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)");
  EXPECT_THAT(code.error().notes, ElementsAre("ptxas application ptx input, line 3; error", "ptxas fatal"));
}

TEST_F(CudaCodeTest, SaysWhatAKernelTakes) {
  fake.kernelSharedBytes = 1024;
  const auto code = load(".version 8.0").value();
  const auto kernel = code->kernel("add_s32").value();
  EXPECT_EQ(kernel->facts().registers, 40);
  EXPECT_EQ(kernel->facts().sharedBytes, 1024);
  EXPECT_EQ(kernel->facts().localBytes, 16);
  EXPECT_EQ(kernel->facts().mostBlockThreads, 1024);
}

TEST_F(CudaCodeTest, OptsKernelsInToWhatSharedMemoryTheyLeave) {
  fake.kernelSharedBytes = 1024;
  const auto code = load(".version 8.0").value();
  ASSERT_TRUE(code->kernel("add_s32").has_value());
  EXPECT_THAT(fake.calls, Contains("cuFuncSetAttribute 8 231424"));  // 232448 - 1024
  EXPECT_THAT(fake.calls, Contains("cuFuncSetAttribute 14 1"));
}

TEST_F(CudaCodeTest, AsksForNothingThatTheDeviceLacks) {
  FakeDriver& old = newFakeDriver();
  old.attributes[97] = old.attributes[8];
  old.attributes[120] = 0;
  device = openCudaDevice(loadFakeDriver(), 0).value();
  ASSERT_TRUE(load(".version 6.3").value()->kernel("add_s32").has_value());
  EXPECT_THAT(old.calls, Not(Contains(StartsWith("cuFuncSetAttribute"))));
}

TEST_F(CudaCodeTest, SaysWhereAGlobalLies) {
  const auto code = load(".version 8.0").value();
  const DeviceGlobal table = code->global("table").value();
  EXPECT_EQ(table.address, DeviceAddress{4096});
  EXPECT_EQ(table.sizeBytes, 24);
}

TEST_F(CudaCodeTest, LaunchesWithoutAttributesWhereThereAreNoClusters) {
  EXPECT_EQ(launched({.grid = {2, 1, 1}, .block = {4, 2, 1}, .sharedBytes = 512}),
            "cuLaunchKernelEx grid 2 1 1 block 4 2 1 shared 512");
}

TEST_F(CudaCodeTest, LaunchesInClusters) {
  EXPECT_EQ(launched({.grid = {4, 2, 1}, .block = {8, 1, 1}, .cluster = {2, 2, 1}}),
            "cuLaunchKernelEx grid 4 2 1 block 8 1 1 shared 0 attribute 4: 2 2 1");
}

TEST_F(CudaCodeTest, TellsALaunchThatIsRefused) {
  const auto code = load(".version 8.0").value();
  const auto kernel = code->kernel("add_s32").value();
  const auto stream = device->makeStream().value();
  fake.failing["cuLaunchKernelEx"] = 912;
  EXPECT_EQ(stream->launch(*kernel, {.cluster = {.x = 32}}, {}).error().kind, "wrong-launch");
}

}  // namespace
}  // namespace hilo
