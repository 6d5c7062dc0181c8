#include "core/runtime/device/cuda/cuda_device.h"

#include <fmt/format.h>

#include "core/runtime/device/cuda/cuda_code.h"
#include "core/runtime/device/cuda/cuda_context.h"
#include "core/runtime/device/cuda/cuda_event.h"
#include "core/runtime/device/cuda/cuda_graph.h"
#include "core/runtime/device/cuda/cuda_stream.h"

namespace hilo {
namespace {

class PinnedMemory final : public HostMemory {
 public:
  PinnedMemory(const CudaContext& context, std::span<std::byte> bytes)
      : HostMemory(bytes), context_(context) {}
  ~PinnedMemory() override {
    (void)context_.call(context_.driver().memFreeHost, static_cast<void*>(bytes().data()));
  }

 private:
  const CudaContext& context_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(std::unique_ptr<CudaContext> context, DriverPool pool, DeviceFacts facts)
      : context_(std::move(context)), pool_(pool), facts_(std::move(facts)) {}

  const DeviceFacts& facts() const override { return facts_; }
  Result<int64_t> freeBytes() override {
    size_t free = 0, total = 0;
    TRY_STATUS(context_->call(context_->driver().memGetInfo, &free, &total));
    return static_cast<int64_t>(free);
  }
  Result<int64_t> takeMostHeldBytes() override {
    const Driver& driver = context_->driver();
    uint64_t most = 0, none = 0;
    TRY_STATUS(
        context_->call(driver.memPoolGetAttribute, pool_, kPoolMostUsedBytes, static_cast<void*>(&most)));
    TRY_STATUS(
        context_->call(driver.memPoolSetAttribute, pool_, kPoolMostUsedBytes, static_cast<void*>(&none)));
    return static_cast<int64_t>(most);
  }
  Result<std::unique_ptr<Stream>> makeStream() override { return CudaStream::make(*context_); }
  Result<std::unique_ptr<Event>> makeEvent() override { return CudaEvent::make(*context_); }
  Result<std::unique_ptr<HostMemory>> allocateHost(int64_t bytes) override {
    void* memory = nullptr;
    TRY_STATUS(context_->call(context_->driver().memHostAlloc, &memory, static_cast<size_t>(bytes),
                              kHostMemoryPortable));
    return std::make_unique<PinnedMemory>(
        *context_, std::span(static_cast<std::byte*>(memory), static_cast<size_t>(bytes)));
  }
  Result<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code, const std::string&) override {
    return CudaCode::load(*context_, facts_, code);
  }
  Result<std::unique_ptr<DeviceGraph>> makeGraph(const WorkGraph& work) override {
    return CudaGraph::make(*context_, conditions_, work);
  }
  std::string whyNoLoopsInGraphs() const override { return conditions_.whyNot(); }

 private:
  std::unique_ptr<CudaContext> context_;
  DriverPool pool_;
  DeviceFacts facts_;
  CudaConditions conditions_{*context_};
};

// The GPU of that number.
Result<DriverDevice> deviceOf(const Driver& driver, int number) {
  TRY(const int count, cudaDeviceCount(driver));
  if (number < 0 || number >= count) {
    return fail("no-device",
                fmt::format("there is no GPU {}: the driver sees {}, counted from 0", number, count));
  }
  DriverDevice device = 0;
  TRY_STATUS(driver.call(driver.deviceGet, &device, number));
  return device;
}

// The device's pool. Memory that was freed stays with the process, for the runs that follow.
Result<DriverPool> poolOf(const Driver& driver, DriverDevice device) {
  DriverPool pool = nullptr;
  TRY_STATUS(driver.call(driver.deviceGetDefaultMemPool, &pool, device));
  uint64_t bytes = UINT64_MAX;
  TRY_STATUS(
      driver.call(driver.memPoolSetAttribute, pool, kPoolReleaseThreshold, static_cast<void*>(&bytes)));
  return pool;
}

}  // namespace

Result<int> cudaDeviceCount(const Driver& driver) {
  int count = 0;
  TRY_STATUS(driver.call(driver.deviceGetCount, &count));
  if (count == 0) return fail("no-device", "the NVIDIA driver sees no GPU");
  return count;
}

Result<DeviceFacts> cudaDeviceFacts(const Driver& driver, int number) {
  TRY(const DriverDevice device, deviceOf(driver, number));
  DeviceFacts facts;
  char name[256] = {};
  TRY_STATUS(driver.call(driver.deviceGetName, name, static_cast<int>(sizeof(name)), device));
  facts.name = name;
  size_t bytes = 0;
  TRY_STATUS(driver.call(driver.deviceTotalMem, &bytes, device));
  facts.memoryBytes = static_cast<int64_t>(bytes);
  int value = 0;
#define DEVICE_FACT(field, number)                                            \
  TRY_STATUS(driver.call(driver.deviceGetAttribute, &value, number, device)); \
  facts.field = static_cast<decltype(facts.field)>(value);
#include "core/runtime/device/cuda/device_facts.def"
  return facts;
}

Result<std::unique_ptr<Device>> openCudaDevice(std::shared_ptr<const Driver> driver, int number) {
  TRY(const DriverDevice device, deviceOf(*driver, number));
  TRY(DeviceFacts facts, cudaDeviceFacts(*driver, number));
  if (!facts.hasMemoryPools) {
    return fail(
        "unsupported-device",
        fmt::format("GPU {}, {}, has no memory pools, by which memory is given in the order of streams",
                    number, facts.name));
  }
  TRY(const DriverPool pool, poolOf(*driver, device));
  TRY(auto context, CudaContext::retain(std::move(driver), device));
  return std::make_unique<CudaDevice>(std::move(context), pool, std::move(facts));
}

}  // namespace hilo
