// Streams and events of the driver: what it refuses is told by the call that met it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/runtime/device/cuda/cuda_device.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::HasSubstr;

class CudaStreamTest : public testing::Test {
 protected:
  FakeDriver& fake = newFakeDriver();
  std::unique_ptr<Device> device = openCudaDevice(loadFakeDriver(), 0).value();
  std::unique_ptr<Stream> stream = device->makeStream().value();
  std::unique_ptr<Event> event = device->makeEvent().value(), other = device->makeEvent().value();
};

TEST_F(CudaStreamTest, WaitsForNoOtherStream) { EXPECT_THAT(fake.calls, Contains("cuStreamCreate flags 1")); }

TEST_F(CudaStreamTest, SaysHowManyBytesThereWasNoRoomFor) {
  fake.failing["cuMemAllocAsync"] = 2;
  const auto address = stream->allocate(123456);
  ASSERT_FALSE(address.has_value());
  EXPECT_EQ(address.error().kind, "out-of-memory");
  EXPECT_THAT(address.error().notes, Contains(HasSubstr("123456 bytes")));
}

TEST_F(CudaStreamTest, TellsEveryCallThatFails) {
  std::byte bytes[4] = {};
  const auto address = static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(bytes));
  const std::pair<const char*, std::function<Status()>> calls[] = {
      {"cuMemFreeAsync", [&] { return stream->free(address); }},
      {"cuMemcpyHtoDAsync", [&] { return stream->copyIn(address, bytes); }},
      {"cuMemcpyDtoHAsync", [&] { return stream->copyOut(bytes, address); }},
      {"cuMemcpyDtoDAsync", [&] { return stream->copy(address, address, 4); }},
      {"cuMemsetD8Async", [&] { return stream->fill(address, std::byte{0}, 4); }},
      {"cuEventRecord", [&] { return stream->record(*event); }},
      {"cuStreamWaitEvent", [&] { return stream->waitFor(*event); }},
      {"cuStreamSynchronize", [&] { return stream->synchronize(); }},
      {"cuEventSynchronize", [&] { return event->wait(); }},
      {"cuCtxSetCurrent", [&] { return stream->synchronize(); }},
  };
  for (const auto& [symbol, call] : calls) {
    fake.failing = {{symbol, 700}};
    const Status done = call();
    ASSERT_FALSE(done.has_value()) << symbol;
    EXPECT_EQ(done.error().kind, "illegal-address") << symbol;
    EXPECT_THAT(done.error().message, HasSubstr(symbol));
  }
  fake.failing.clear();
}

TEST_F(CudaStreamTest, CannotBeMadeWhereTheDriverFails) {
  fake.failing = {{"cuStreamCreate", 2}, {"cuEventCreate", 2}, {"cuMemHostAlloc", 2}, {"cuMemGetInfo", 2}};
  EXPECT_EQ(device->makeStream().error().kind, "out-of-memory");
  EXPECT_EQ(device->makeEvent().error().kind, "out-of-memory");
  EXPECT_EQ(device->allocateHost(8).error().kind, "out-of-memory");
  EXPECT_EQ(device->freeBytes().error().kind, "out-of-memory");
}

TEST_F(CudaStreamTest, WorksOnAThreadThatNeverHadTheContext) {
  std::jthread([&] { EXPECT_TRUE(stream->synchronize().has_value()); });
}

TEST_F(CudaStreamTest, HasNotReachedAnEventThatTheDriverCallsNotReady) {
  fake.failing["cuEventQuery"] = 600;
  EXPECT_FALSE(event->isDone().value());
  fake.failing["cuEventQuery"] = 700;
  EXPECT_EQ(event->isDone().error().kind, "illegal-address");
}

TEST_F(CudaStreamTest, GivesTimesBetweenEventsInNanoseconds) {
  EXPECT_EQ(event->nsSince(*other).value(), 250'000);  // the driver says 0.25 ms
  fake.failing["cuEventElapsedTime"] = 600;
  EXPECT_FALSE(event->nsSince(*other).has_value());
}

}  // namespace
}  // namespace hilo
