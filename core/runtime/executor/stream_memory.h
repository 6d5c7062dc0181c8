// The memory of one device of a run on streams: allocations with what the arguments, the constants and the
// device's own number put into them.
#pragma once

#include <vector>

#include "core/runtime/executor/device_executor.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

class StreamMemory {
 public:
  // `ids`: of the replica and the partition; they must outlive what is filled in.
  StreamMemory(const DeviceExecutor::State& executor, const uint32_t (&ids)[2]);
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  // Gives every allocation its room and copies the arguments in, on the stream. "out-of-memory" above
  // `limitBytes`, and what the device says.
  Status fill(Stream& stream, const DeviceMemory& memory, int64_t limitBytes);
  // Copies the results out, and waits for them.
  Status takeResults(Stream& stream, const DeviceMemory& memory);
  // All but the constants. Of a device that is broken nothing can be given back.
  void giveBack(Stream& stream);

  // Of allocations.
  const std::vector<DeviceAddress>& bases() const { return bases_; }
  DeviceAddress at(const BufferSlice& slice) const { return bases_[slice.allocation] + slice.offsetBytes; }

 private:
  Result<DeviceAddress> take(Stream& stream, const Allocation& allocation);
  Status copyArgument(Stream& stream, uint32_t allocation, const DeviceMemory& memory);

  const DeviceExecutor::State& executor_;
  const uint32_t (&ids_)[2];
  std::vector<DeviceAddress> bases_;
  std::vector<DeviceAddress> owned_;
  std::vector<std::unique_ptr<HostMemory>> hostMemory_;  // of allocations that lie there
  std::vector<std::vector<std::byte>> staged_;           // arguments in the order of their layout
};

}  // namespace hilo
