// A GPU by its number: what it is, opened and given back.
#include "core/runtime/device/cuda/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(CudaDevice, SaysWhatTheDriverSaysOfIt) {
  newFakeDriver().deviceCount = 2;
  const DeviceFacts facts = cudaDeviceFacts(*loadFakeDriver(), 1).value();
  EXPECT_EQ(facts.name, "fake GPU 1");
  EXPECT_EQ(facts.memoryBytes, int64_t{80} << 30);
  EXPECT_EQ(facts.processors, 132);
  EXPECT_EQ(facts.capabilityMajor, 9);
  EXPECT_EQ(facts.capabilityMinor, 0);
  EXPECT_EQ(facts.warpThreads, 32);
  EXPECT_EQ(facts.blockSharedBytes, 48 << 10);
  EXPECT_EQ(facts.blockSharedBytesOptIn, 227 << 10);
  EXPECT_TRUE(facts.hasClusters);
  EXPECT_TRUE(facts.hasMemoryPools);
}

TEST(CudaDevice, OfANumberThatIsNotThereIsNoDevice) {
  newFakeDriver();
  const auto driver = loadFakeDriver();
  for (const int number : {-1, 1}) {
    const auto device = openCudaDevice(driver, number);
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().kind, "no-device");
  }
  EXPECT_EQ(openCudaDevice(driver, 1).error().message,
            "there is no GPU 1: the driver sees 1, counted from 0");
}

TEST(CudaDevice, OfADriverWithoutAnyIsNoDevice) {
  newFakeDriver().deviceCount = 0;
  EXPECT_EQ(cudaDeviceCount(*loadFakeDriver()).error().kind, "no-device");
}

TEST(CudaDevice, WithoutMemoryPoolsIsRefusedByName) {
  newFakeDriver().attributes[115] = 0;
  const auto device = openCudaDevice(loadFakeDriver(), 0);
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().kind, "unsupported-device");
  EXPECT_THAT(device.error().message, HasSubstr("fake GPU 0"));
}

TEST(CudaDevice, KeepsFreedMemoryInThePoolOfTheProcess) {
  const FakeDriver& fake = newFakeDriver();
  const auto device = openCudaDevice(loadFakeDriver(), 0).value();
  EXPECT_THAT(fake.calls, Contains("cuMemPoolSetAttribute 4 18446744073709551615"));
}

TEST(CudaDevice, SaysHowMuchMemoryIsFree) {
  newFakeDriver();
  EXPECT_EQ(openCudaDevice(loadFakeDriver(), 0).value()->freeBytes().value(), int64_t{3} << 30);
}

TEST(CudaDevice, PinsTheMemoryOfTheHostForAllContexts) {
  const FakeDriver& fake = newFakeDriver();
  const auto device = openCudaDevice(loadFakeDriver(), 0).value();
  const auto memory = device->allocateHost(4096).value();
  EXPECT_THAT(fake.calls, Contains("cuMemHostAlloc 4096 flags 1"));
}

TEST(CudaDevice, GivesBackAllItTook) {
  const FakeDriver& fake = newFakeDriver();
  {
    const auto device = openCudaDevice(loadFakeDriver(), 0).value();
    const auto stream = device->makeStream().value();
    const auto event = device->makeEvent().value();
    const auto memory = device->allocateHost(16).value();
    const auto code = device->load({}).value();
    EXPECT_EQ(fake.living, 5);  // the context among them
  }
  EXPECT_EQ(fake.living, 0);
}

// Of what it takes to open a device, whatever fails is told, and nothing stays taken.
TEST(CudaDevice, IsNotOpenedWhereTheDriverFails) {
  for (const char* symbol :
       {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem", "cuDeviceGetAttribute",
        "cuDeviceGetDefaultMemPool", "cuMemPoolSetAttribute", "cuDevicePrimaryCtxRetain"}) {
    FakeDriver& fake = newFakeDriver();
    fake.failing[symbol] = 100;
    const auto device = openCudaDevice(loadFakeDriver(), 0);
    ASSERT_FALSE(device.has_value()) << symbol;
    EXPECT_EQ(device.error().kind, "no-device") << symbol;
    EXPECT_THAT(device.error().message, HasSubstr(symbol));
    EXPECT_EQ(fake.living, 0) << symbol;
  }
}

}  // namespace
}  // namespace hilo
