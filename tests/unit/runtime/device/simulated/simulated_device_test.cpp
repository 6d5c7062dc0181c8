// The simulated device: what every device does, in each of its ways of working, and what it alone finds.
#include "core/runtime/device/simulated/simulated_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "core/compiler/codegen/simulate/load_ptx.h"
#include "tests/unit/runtime/device/add_ptx.h"
#include "tests/unit/runtime/device/any_device.h"

namespace hilo {
namespace {

using testing::HasSubstr;

Result<SimulatedModule> load(std::string_view ptx, const std::string& name, bool isChecked) {
  return loadPtx(ptx, {.file = name, .isChecked = isChecked});
}

template <bool isChecked, int seed>
Result<std::unique_ptr<Device>> make() {
  return makeSimulatedDevice({.load = load,
                              .isChecked = isChecked,
                              .orderSeed = seed < 0 ? std::nullopt : std::optional<uint64_t>(seed)});
}

// What a stream writes before another reads it, with or without an event between them.
int32_t readBehind(Device& device, bool waits) {
  const auto writer = device.makeStream().value(), reader = device.makeStream().value();
  const auto event = device.makeEvent().value(), begun = device.makeEvent().value();
  writer->note({.name = "the writer", .uses = {}});
  reader->note({.name = "the reader", .uses = {}});
  const DeviceAddress address = writer->allocate(4).value();
  EXPECT_TRUE(writer->fill(address, std::byte{0}, 4));
  EXPECT_TRUE(writer->record(*begun));
  EXPECT_TRUE(reader->waitFor(*begun));
  EXPECT_TRUE(writer->fill(address, std::byte{1}, 4));
  EXPECT_TRUE(writer->record(*event));
  if (waits) EXPECT_TRUE(reader->waitFor(*event));
  int32_t value = -1;
  EXPECT_TRUE(reader->copyOut(std::as_writable_bytes(std::span(&value, 1)), address));
  EXPECT_TRUE(reader->synchronize());
  EXPECT_TRUE(writer->synchronize());
  EXPECT_TRUE(writer->free(address));
  return value;
}

TEST(SimulatedDevice, DoesWorkThatNothingOrdersInBothOrders) {
  std::set<int32_t> seen;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    const auto device = makeSimulatedDevice({.load = load, .orderSeed = seed});
    EXPECT_EQ(readBehind(*device, true), 0x01010101) << seed;
    seen.insert(readBehind(*device, false));
  }
  EXPECT_EQ(seen, (std::set<int32_t>{0, 0x01010101}));
}

TEST(SimulatedDevice, FindsAMissingEventWhateverTheOrder) {
  const auto device = makeSimulatedDevice({.load = load, .isChecked = true});
  readBehind(*device, true);
  EXPECT_TRUE(device->takeFindings().empty());
  readBehind(*device, false);
  const Diagnostics findings = device->takeFindings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "missing-dependency");
  EXPECT_EQ(findings[0].place.instruction, "the reader");
  EXPECT_THAT(findings[0].message,
              HasSubstr("which the writer on stream 0 writes, and no event orders them"));
}

// As constants are: copied by whoever makes an executor, read by the threads that drive its devices.
TEST(SimulatedDevice, TakesWhatAThreadOfTheHostWaitedForAsKnownToTheOthers) {
  const auto device = makeSimulatedDevice({.load = load, .isChecked = true});
  const auto writer = device->makeStream().value();
  const DeviceAddress address = writer->allocate(4).value();
  EXPECT_TRUE(writer->fill(address, std::byte{1}, 4));
  const auto read = [&] {
    const auto reader = device->makeStream().value();
    int32_t value = 0;
    EXPECT_TRUE(reader->copyOut(std::as_writable_bytes(std::span(&value, 1)), address));
    EXPECT_TRUE(reader->synchronize());
  };
  std::thread(read).join();
  EXPECT_EQ(device->takeFindings().size(), 1u);
  EXPECT_TRUE(writer->fill(address, std::byte{2}, 4));
  EXPECT_TRUE(writer->synchronize());
  (void)device->takeFindings();
  std::thread(read).join();
  EXPECT_TRUE(device->takeFindings().empty());
  EXPECT_TRUE(writer->free(address));
}

TEST(SimulatedDevice, HoldsAKernelToTheMemoryOfItsNote) {
  const auto device = makeSimulatedDevice({.load = load, .isChecked = true});
  const auto code = device->load(addPtx(), "add.ptx").value();
  const auto kernel = code->kernel("add_s32").value();
  const auto stream = device->makeStream().value();
  const DeviceAddress memory = stream->allocate(64).value();
  EXPECT_TRUE(stream->fill(memory, std::byte{0}, 64));
  const DeviceAddress value = memory, sum = memory + 32;
  stream->note({.name = "add.1", .uses = {{value, 16, "argument 0", false}, {sum, 16, "result 0", true}}});
  const void* arguments[] = {&value, &sum};
  EXPECT_TRUE(stream->launch(*kernel, {.block = {.x = 4}}, arguments));
  EXPECT_TRUE(device->takeFindings().empty());
  // The fifth thread is past the array, and within what was allocated.
  const Status done = stream->launch(*kernel, {.block = {.x = 5}}, arguments);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, "out-of-bounds");
  EXPECT_EQ(done.error().place.file, "add.ptx");
  EXPECT_GT(done.error().place.line, 0u);
  EXPECT_EQ(done.error().place.instruction, "add.1");
  EXPECT_EQ(stream->synchronize().error().kind, "out-of-bounds") << "the device is good for nothing else";
}

TEST(SimulatedDevice, TellsBytesThatNobodyWrote) {
  const auto device = makeSimulatedDevice({.load = load, .isChecked = true});
  const auto kernel = device->load(addPtx(), "add.ptx").value()->kernel("add_s32").value();
  const auto stream = device->makeStream().value();
  const DeviceAddress value = stream->allocate(16).value(), sum = stream->allocate(16).value();
  EXPECT_TRUE(stream->fill(value, std::byte{0}, 16));
  const void* arguments[] = {&value, &sum};
  EXPECT_TRUE(stream->launch(*kernel, {.block = {.x = 4}}, arguments));
  const Diagnostics findings = device->takeFindings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "never-written");
  EXPECT_TRUE(stream->launch(*kernel, {.block = {.x = 4}}, arguments));
  EXPECT_TRUE(device->takeFindings().empty()) << "the first launch wrote them";
}

TEST(SimulatedDevice, HasNoMoreMemoryThanItIsGiven) {
  const auto device = makeSimulatedDevice({.load = load, .memoryBytes = 100});
  const auto stream = device->makeStream().value();
  const DeviceAddress first = stream->allocate(60).value();
  EXPECT_EQ(stream->allocate(60).error().kind, "out-of-memory");
  EXPECT_TRUE(stream->free(first));
  EXPECT_TRUE(stream->allocate(60));
}

TEST(SimulatedDevice, RefusesACopyOutsideOfItsMemory) {
  const auto device = makeSimulatedDevice({.load = load});
  const auto stream = device->makeStream().value();
  const DeviceAddress memory = stream->allocate(8).value();
  EXPECT_EQ(stream->fill(memory + 4, std::byte{0}, 8).error().kind, "illegal-address");
}

TEST(SimulatedDevice, TellsAStreamThatWaitsForWhatIsNeverRecorded) {
  const auto device = makeSimulatedDevice({.load = load, .orderSeed = 1});
  const auto a = device->makeStream().value(), b = device->makeStream().value();
  const auto reached = device->makeEvent().value();
  EXPECT_TRUE(a->waitFor(*reached)) << "before it is recorded it counts as done";
  EXPECT_TRUE(a->synchronize());
  EXPECT_TRUE(b->record(*reached));
  EXPECT_TRUE(a->waitFor(*reached));
  EXPECT_TRUE(a->synchronize());
}

}  // namespace

std::vector<DeviceKind> deviceKinds() {
  return {{"Simulated", make<false, -1>, addPtx},
          {"SimulatedChecked", make<true, -1>, addPtx},
          {"SimulatedInAnyOrder", make<false, 7>, addPtx},
          {"SimulatedCheckedInAnyOrder", make<true, 8>, addPtx}};
}

}  // namespace hilo
