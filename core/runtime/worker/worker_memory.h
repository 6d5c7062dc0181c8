// Memory that two processes have mapped: the constants of a program, or the arrays that one run
// takes and gives.
#pragma once

#include "core/runtime/executor/executor.h"
#include "core/runtime/worker/message_socket.h"

namespace hilo {

class SharedMemory {
 public:
  // Kind "out-of-memory".
  static Result<SharedMemory> make(int64_t bytes);
  static Result<SharedMemory> open(FileDescriptor file);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const { return bytes_; }
  int fd() const { return file_.get(); }

 private:
  SharedMemory(FileDescriptor file, std::span<std::byte> bytes) : file_(std::move(file)), bytes_(bytes) {}
  FileDescriptor file_;
  std::span<std::byte> bytes_;
};

// Where the arrays of a run lie: the arguments of each device, or those of all, then the results of each.
struct SharedMemoryPlan {
  struct Device {
    std::vector<int64_t> arguments, results;  // offsets, by leaf
    int64_t argumentSizes = 0;                // of as many s32 as argumentSizePlaces
    std::vector<int64_t> resultSizes;         // as Program::resultSizes
  };
  std::vector<Device> devices;
  int64_t sizeBytes = 0;
};
// Kind "out-of-memory" when the sizes add up to more than there are.
Result<SharedMemoryPlan> planMemory(const Program& program, DeviceGrid grid, bool sharesArguments);
std::vector<DeviceMemory> memoryOf(const SharedMemoryPlan& plan, std::span<std::byte> bytes);

}  // namespace hilo
