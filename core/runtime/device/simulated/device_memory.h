// Private to the room: the memory of a simulated device, which is the host's.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/simulated/simulated_memory.h"

namespace hilo {

class DeviceAllocations {
 public:
  // `isChecked`: which bytes were written is kept.
  DeviceAllocations(int64_t mostBytes, bool isChecked) : mostBytes_(mostBytes), isChecked_(isChecked) {}

  // Kind "out-of-memory". `pattern`: every byte of it, where it is to be seen that nobody wrote there.
  Result<std::byte*> allocate(int64_t bytes, std::optional<std::byte> pattern);
  // Kind "illegal-address": nothing was allocated there.
  Status free(const std::byte* address);
  int64_t freeBytes() const { return mostBytes_ - takenBytes_; }
  // The most that was taken at once since this was last asked.
  int64_t takeMostBytes() { return std::exchange(mostTakenBytes_, takenBytes_); }
  int64_t bytesAt(const std::byte* address) const;

  // Whether all of it lies in one allocation. Kind "illegal-address".
  Status check(const std::byte* address, int64_t bytes) const;
  void markWritten(const std::byte* address, int64_t bytes);

  // What a kernel may use: `uses`, or where there are none all there is.
  // Error kind "out-of-memory".
  Result<SimulatedMemory> memoryFor(std::span<const WorkNote::Use> uses);
  // What it wrote of that is written from now on.
  void keepWritten(SimulatedMemory& memory, std::span<const WorkNote::Use> uses);

 private:
  // Pages of the host's memory, the last of which nobody may touch: a kernel that runs past its arrays ends
  // there, before it writes over anything else.
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* pages) const;
  };
  using Pages = std::unique_ptr<std::byte, Unmap>;
  static Pages mapPages(size_t bytes);
  struct Allocated {
    Pages pages;
    int64_t size = 0;
    std::vector<bool> isWritten;  // empty: all of it
  };
  using Pieces = std::map<const std::byte*, Allocated>;
  Pieces::const_iterator find(const std::byte* address) const;
  std::vector<WorkNote::Use> disjoint(std::span<const WorkNote::Use> uses) const;

  Pieces pieces_;
  const int64_t mostBytes_;
  const bool isChecked_;
  int64_t takenBytes_ = 0, mostTakenBytes_ = 0;
};

}  // namespace hilo
