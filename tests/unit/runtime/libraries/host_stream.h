// What tests of libraries give them: a stream and arrays on the host's memory, and where the fake ones lie.
#pragma once

#include <cstdlib>
#include <cstring>

#include "core/runtime/device/device.h"
#include "core/runtime/libraries/files/loaded_library.h"

namespace hilo {

// A stream that does all at once, on the host's memory.
class HostStream final : public Stream {
 public:
  Result<DeviceAddress> allocate(int64_t bytes) override {
    ++living;
    return addressOf(std::malloc(static_cast<size_t>(bytes)));
  }
  Status free(DeviceAddress address) override {
    --living;
    std::free(reinterpret_cast<void*>(static_cast<uint64_t>(address)));
    return {};
  }
  Status copyIn(DeviceAddress, std::span<const std::byte>) override { return fail("unused", ""); }
  Status copyOut(std::span<std::byte>, DeviceAddress) override { return fail("unused", ""); }
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(static_cast<uint64_t>(to)),
                reinterpret_cast<const void*>(static_cast<uint64_t>(from)), static_cast<size_t>(bytes));
    return {};
  }
  Status fill(DeviceAddress, std::byte, int64_t) override { return fail("unused", ""); }
  Status launch(const DeviceKernel&, const LaunchShape&, std::span<const void* const>) override {
    return fail("unused", "");
  }
  Status record(Event&) override { return fail("unused", ""); }
  Status waitFor(Event&) override { return fail("unused", ""); }
  Status synchronize() override { return {}; }
  void* native() override { return this; }

  static DeviceAddress addressOf(const void* memory) {
    return static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(memory));
  }
  int living = 0;
};

inline const LibrarySearch kFakes{.folders = {HILO_FAKE_CUDA "/lib64"}, .asksSystem = false};
inline const LibrarySearch kOld{.folders = {HILO_FAKE_CUDA "_old/lib64"}, .asksSystem = false};
inline const LibrarySearch kNowhere{.folders = {}, .asksSystem = false};

template <typename... Vectors>
std::vector<DeviceAddress> addresses(const Vectors&... vectors) {
  return {HostStream::addressOf(vectors.data())...};
}

}  // namespace hilo
