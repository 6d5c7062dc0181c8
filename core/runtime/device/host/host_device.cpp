#include "core/runtime/device/host/host_device.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <new>
#include <optional>

#include "core/base/check.h"
#include "core/runtime/device/host/host_code.h"
#include "core/runtime/device/host/machine_text.h"
#include "core/runtime/device/host/thread_pool.h"

namespace hilo {
namespace {

constexpr std::align_val_t kAlignment{64};

std::byte* at(DeviceAddress address) { return reinterpret_cast<std::byte*>(address); }

// Null when there is no room.
std::byte* takeMemory(int64_t bytes) {
  return static_cast<std::byte*>(::operator new(static_cast<size_t>(bytes), kAlignment, std::nothrow));
}
std::unexpected<Diagnostic> noRoom(int64_t bytes) {
  return fail("out-of-memory", fmt::format("no room for {} bytes", bytes));
}

class HostEvent final : public Event {
 public:
  void record() { at_ = std::chrono::steady_clock::now(); }
  Result<bool> isDone() override { return true; }
  Status wait() override { return {}; }
  Result<int64_t> nsSince(Event& start) override {
    const auto& from = static_cast<HostEvent&>(start).at_;
    CHECK(at_.has_value() && from.has_value());
    return std::chrono::nanoseconds(*at_ - *from).count();
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> at_;
};

class HostStream final : public Stream {
 public:
  Result<DeviceAddress> allocate(int64_t bytes) override {
    std::byte* memory = takeMemory(bytes);
    if (memory == nullptr) return noRoom(bytes);
    return static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(memory));
  }
  Status free(DeviceAddress address) override {
    ::operator delete(at(address), kAlignment);
    return {};
  }
  Status copyIn(DeviceAddress to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(at(to), from.data(), from.size());
    return {};
  }
  Status copyOut(std::span<std::byte> to, DeviceAddress from) override {
    if (!to.empty()) std::memcpy(to.data(), at(from), to.size());
    return {};
  }
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes) override {
    if (bytes > 0) std::memmove(at(to), at(from), static_cast<size_t>(bytes));
    return {};
  }
  Status fill(DeviceAddress to, std::byte value, int64_t bytes) override {
    if (bytes > 0) std::memset(at(to), std::to_integer<int>(value), static_cast<size_t>(bytes));
    return {};
  }
  Status launch(const DeviceKernel& kernel, const LaunchShape& shape,
                std::span<const void* const> arguments) override {
    if (shape.cluster != LaunchExtent() || shape.sharedBytes != 0)
      return fail("wrong-launch", "a kernel of the host has neither clusters nor shared memory");
    absl::InlinedVector<void*, 16> buffers;
    for (const void* argument : arguments) buffers.push_back(*static_cast<void* const*>(argument));
    const auto count = [](const LaunchExtent& extent) { return int64_t{extent.x} * extent.y * extent.z; };
    callKernel(static_cast<const HostKernel&>(kernel).function(), buffers.data(), 0,
               count(shape.grid) * count(shape.block));
    return {};
  }
  Status record(Event& event) override {
    static_cast<HostEvent&>(event).record();
    return {};
  }
  Status waitFor(Event&) override { return {}; }
  Status synchronize() override { return {}; }
};

class OwnMemory final : public HostMemory {
 public:
  explicit OwnMemory(std::span<std::byte> bytes) : HostMemory(bytes) {}
  ~OwnMemory() override { ::operator delete(bytes().data(), kAlignment); }
};

class HostDevice final : public Device {
 public:
  HostDevice()
      : facts_{.name = machineText(),
               .memoryBytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE),
               .processors = usableProcessors()} {}

  const DeviceFacts& facts() const override { return facts_; }
  Result<int64_t> freeBytes() override { return sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE); }
  Result<std::unique_ptr<Stream>> makeStream() override { return std::make_unique<HostStream>(); }
  Result<std::unique_ptr<Event>> makeEvent() override { return std::make_unique<HostEvent>(); }
  Result<std::unique_ptr<HostMemory>> allocateHost(int64_t bytes) override {
    std::byte* memory = takeMemory(bytes);
    if (memory == nullptr) return noRoom(bytes);
    return std::make_unique<OwnMemory>(std::span(memory, static_cast<size_t>(bytes)));
  }
  Result<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code, const std::string&) override {
    TRY(HostCode loaded, HostCode::load(code));
    return std::make_unique<HostCode>(std::move(loaded));
  }

 private:
  DeviceFacts facts_;
};

}  // namespace

std::unique_ptr<Device> makeHostDevice() { return std::make_unique<HostDevice>(); }

}  // namespace hilo
