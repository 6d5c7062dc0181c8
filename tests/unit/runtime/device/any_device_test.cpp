// What every device does alike: each test runs on each of deviceKinds().
#include "core/runtime/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/runtime/device/any_device.h"

namespace hilo {
namespace {

using testing::Each;
using testing::ElementsAre;

class AnyDevice : public testing::TestWithParam<DeviceKind> {
 protected:
  DeviceAddress filledWith(std::span<const int32_t> values) {
    const DeviceAddress address = stream->allocate(static_cast<int64_t>(values.size_bytes())).value();
    EXPECT_TRUE(stream->copyIn(address, std::as_bytes(values)).has_value());
    EXPECT_TRUE(stream->synchronize().has_value());  // until then the values must stay
    return address;
  }
  std::vector<int32_t> read(DeviceAddress address, size_t count) {
    std::vector<int32_t> values(count);
    EXPECT_TRUE(stream->copyOut(std::as_writable_bytes(std::span(values)), address).has_value());
    EXPECT_TRUE(stream->synchronize().has_value());
    return values;
  }
  void SetUp() override {
    auto made = GetParam().make();
    if (!made) GTEST_SKIP() << toString(made.error());
    device = *std::move(made);
    stream = device->makeStream().value();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

TEST_P(AnyDevice, SaysWhatItIs) {
  EXPECT_FALSE(device->facts().name.empty());
  EXPECT_GT(device->facts().memoryBytes, 0);
  EXPECT_GT(device->facts().processors, 0);
  EXPECT_GT(device->freeBytes().value(), 0);
}

TEST_P(AnyDevice, GivesBackWhatWasCopiedToIt) {
  const std::vector<int32_t> values{3, 1, 4, 1, 5};
  const DeviceAddress address = filledWith(values);
  EXPECT_EQ(read(address, 5), values);
  EXPECT_EQ(read(address + 8, 2), (std::vector<int32_t>{4, 1}));
  EXPECT_TRUE(stream->free(address).has_value());
}

TEST_P(AnyDevice, CopiesWithinItsMemory) {
  const DeviceAddress address = filledWith(std::vector<int32_t>{1, 2, 3, 4});
  ASSERT_TRUE(stream->copy(address + 8, address, 8).has_value());
  EXPECT_THAT(read(address, 4), ElementsAre(1, 2, 1, 2));
  EXPECT_TRUE(stream->free(address).has_value());
}

TEST_P(AnyDevice, FillsBytes) {
  const DeviceAddress address = stream->allocate(16).value();
  ASSERT_TRUE(stream->fill(address, std::byte{2}, 16).has_value());
  EXPECT_THAT(read(address, 4), Each(0x02020202));
  EXPECT_TRUE(stream->free(address).has_value());
}

TEST_P(AnyDevice, CopiesNothingWithoutAnAddress) {
  EXPECT_TRUE(stream->copyIn({}, {}).has_value());
  EXPECT_TRUE(stream->copyOut({}, {}).has_value());
  EXPECT_TRUE(stream->copy({}, {}, 0).has_value());
  EXPECT_TRUE(stream->fill({}, std::byte{1}, 0).has_value());
}

TEST_P(AnyDevice, CopiesFromMemoryOfTheHostThatItGave) {
  const auto memory = device->allocateHost(8).value();
  ASSERT_EQ(memory->bytes().size(), 8U);
  std::ranges::fill(memory->bytes(), std::byte{1});
  const DeviceAddress address = stream->allocate(8).value();
  ASSERT_TRUE(stream->copyIn(address, memory->bytes()).has_value());
  EXPECT_THAT(read(address, 2), Each(0x01010101));
  EXPECT_TRUE(stream->free(address).has_value());
}

TEST_P(AnyDevice, RunsAKernelOnceForEveryThreadOfTheLaunch) {
  const auto code = device->load(GetParam().kernels()).value();
  const auto kernel = code->kernel("add_s32").value();
  std::vector<int32_t> values(6), sums(6, 100);
  std::iota(values.begin(), values.end(), 0);
  const DeviceAddress value = filledWith(values), sum = filledWith(sums);
  const void* arguments[] = {&value, &sum};
  ASSERT_TRUE(stream->launch(*kernel, {.grid = {.x = 2}, .block = {.x = 3}}, arguments).has_value());
  EXPECT_THAT(read(sum, 6), ElementsAre(100, 101, 102, 103, 104, 105));
  EXPECT_TRUE(stream->free(value).has_value());
  EXPECT_TRUE(stream->free(sum).has_value());
}

TEST_P(AnyDevice, SaysWhichKernelItsCodeLacks) {
  const auto code = device->load(GetParam().kernels()).value();
  const auto kernel = code->kernel("subtract_s32");
  ASSERT_FALSE(kernel.has_value());
  EXPECT_EQ(kernel.error().kind, "no-symbol");
  EXPECT_THAT(kernel.error().message, testing::HasSubstr("subtract_s32"));
  EXPECT_EQ(code->global("no_table").error().kind, "no-symbol");
}

TEST_P(AnyDevice, MeasuresFromOneEventToAnother) {
  const auto start = device->makeEvent().value(), end = device->makeEvent().value();
  ASSERT_TRUE(stream->record(*start).has_value());
  ASSERT_TRUE(stream->record(*end).has_value());
  ASSERT_TRUE(end->wait().has_value());
  EXPECT_TRUE(end->isDone().value());
  EXPECT_GE(end->nsSince(*start).value(), 0);
}

TEST_P(AnyDevice, LetsAStreamWaitForAnEventOfAnother) {
  const auto other = device->makeStream().value();
  const auto event = device->makeEvent().value();
  const DeviceAddress address = filledWith(std::vector<int32_t>{7});
  ASSERT_TRUE(stream->record(*event).has_value());
  ASSERT_TRUE(other->waitFor(*event).has_value());
  int32_t value = 0;
  ASSERT_TRUE(other->copyOut(std::as_writable_bytes(std::span(&value, 1)), address).has_value());
  ASSERT_TRUE(other->synchronize().has_value());
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(stream->free(address).has_value());
}

INSTANTIATE_TEST_SUITE_P(Devices, AnyDevice, testing::ValuesIn(deviceKinds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hilo
