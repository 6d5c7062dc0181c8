// A device as an executor sees it: memory, streams, events, kernels. Each kind is a folder beside this
// header, and none knows another.
//
// Order: the work of one stream is done in the order it was given; of two streams it is done in any, but for
// what events order. A call that gives work to a stream may return before the work is done; an error of the
// work itself is told by a later call, at the latest by the one that waits for it, and the stream is then
// good for nothing else. Memory that work uses must stay until it is done.
//
// Threads: a Device and its DeviceCode may be used by any; a Stream and an Event by one at a time.
// Ownership: whatever a Device makes must be destroyed before it.
// Errors: kinds are those of the kind of device, but "out-of-memory", which means the same for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/result.h"

namespace hilo {

// An address in a device's memory. Of most devices the host cannot read there.
enum class DeviceAddress : uint64_t {};
inline DeviceAddress operator+(DeviceAddress address, int64_t bytes) {
  return static_cast<DeviceAddress>(static_cast<uint64_t>(address) + static_cast<uint64_t>(bytes));
}

// What a kernel may ask of the device; 0 where it has no such thing.
struct DeviceFacts {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int64_t memoryBytes = 0;
  int64_t processors = 0;                            // a GPU's streaming multiprocessors
  int64_t capabilityMajor = 0, capabilityMinor = 0;  // 9.0 for sm_90
  int64_t warpThreads = 0, mostBlockThreads = 0;     // threads of a warp; of a block
  int64_t mostBlockX = 0, mostBlockY = 0, mostBlockZ = 0;
  int64_t mostGridX = 0, mostGridY = 0, mostGridZ = 0;  // in blocks
  int64_t blockRegisters = 0, processorRegisters = 0;   // of 32 bits
  int64_t processorThreads = 0, processorBlocks = 0;    // resident at once
  // Shared memory in bytes: of a block that asks for nothing special, of one that opts in, of a processor,
  // and what of each block's the driver keeps.
  int64_t blockSharedBytes = 0, blockSharedBytesOptIn = 0, processorSharedBytes = 0, reservedSharedBytes = 0;
  int64_t cacheBytes = 0;  // of the last level
  int64_t clockKilohertz = 0, memoryClockKilohertz = 0, memoryBusBits = 0;
  bool hasClusters = false, hasMemoryPools = false;
};

// What a loaded kernel takes; 0 where the device does not say.
struct KernelFacts {
  int64_t registers = 0;    // of 32 bits, a thread
  int64_t sharedBytes = 0;  // a block, what launches ask for not counted
  int64_t localBytes = 0;   // a thread: spilled registers and arrays
  int64_t mostBlockThreads = 0;
};

struct LaunchExtent {
  uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const LaunchExtent&, const LaunchExtent&) = default;
};

struct LaunchShape {
  LaunchExtent grid;         // blocks
  LaunchExtent block;        // threads of each
  LaunchExtent cluster;      // blocks of each cluster; 1 x 1 x 1: none. They divide the grid
  uint32_t sharedBytes = 0;  // a block, besides what the kernel declares
};

// What work of a stream is for and which memory its kernels may use, for a device that holds work to it.
struct WorkNote {
  struct Use {
    DeviceAddress at{};
    int64_t bytes = 0;
    std::string name;  // of the array there
    bool writes = false;
  };
  std::string name;  // the instruction's
  std::vector<Use> uses;
};

// A kernel of loaded code, which outlives it.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  virtual const KernelFacts& facts() const = 0;
};

// Something that lies in the memory of loaded code.
struct DeviceGlobal {
  DeviceAddress address{};
  int64_t sizeBytes = 0;
};

class DeviceCode {
 public:
  virtual ~DeviceCode() = default;
  // Kind "no-symbol": the code has none of this name.
  virtual Result<std::unique_ptr<DeviceKernel>> kernel(const std::string& name) = 0;
  virtual Result<DeviceGlobal> global(const std::string& name) = 0;
};

// A place in the work of a stream. Before it is recorded it counts as done.
class Event {
 public:
  virtual ~Event() = default;
  virtual Result<bool> isDone() = 0;
  // Until all work before it is done.
  virtual Status wait() = 0;
  // From when `start` was reached until this was; both are recorded and done.
  virtual Result<int64_t> nsSince(Event& start) = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;

  // Memory that may be used by work given to this stream from now on, and by others after an event of it. It
  // may hold anything at first. free() takes effect when the work given before is done. `bytes` > 0.
  virtual Result<DeviceAddress> allocate(int64_t bytes) = 0;
  virtual Status free(DeviceAddress address) = 0;

  // Copies between the host and a device that has memory of its own run beside other work only where the
  // host's is HostMemory.
  virtual Status copyIn(DeviceAddress to, std::span<const std::byte> from) = 0;
  virtual Status copyOut(std::span<std::byte> to, DeviceAddress from) = 0;
  virtual Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes) = 0;
  virtual Status fill(DeviceAddress to, std::byte value, int64_t bytes) = 0;

  // `kernel` is of this device. `arguments`: for each parameter where its value lies, which is read before
  // the call returns.
  virtual Status launch(const DeviceKernel& kernel, const LaunchShape& shape,
                        std::span<const void* const> arguments) = 0;

  virtual Status record(Event& event) = 0;
  // What is given to this stream from now on begins when the event is reached.
  virtual Status waitFor(Event& event) = 0;
  // Until everything given to this stream is done.
  virtual Status synchronize() = 0;

  // Of what is given from now on, until another is said.
  virtual void note(WorkNote) {}

  // What libraries of the device's maker call it: a CUstream. Null where there are none.
  virtual void* native() { return nullptr; }
};

// Memory of the host from and to which a device copies beside other work, and that its kernels may use
// by the same address.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  std::span<std::byte> bytes() const { return bytes_; }

 protected:
  explicit HostMemory(std::span<std::byte> bytes) : bytes_(bytes) {}

 private:
  std::span<std::byte> bytes_;
};

struct WorkNode;
class DeviceGraph;  // device_graph.h

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  // Bytes that could be allocated now; other processes take of them too.
  virtual Result<int64_t> freeBytes() = 0;
  virtual Result<std::unique_ptr<Stream>> makeStream() = 0;
  virtual Result<std::unique_ptr<Event>> makeEvent() = 0;
  // `bytes` > 0.
  virtual Result<std::unique_ptr<HostMemory>> allocateHost(int64_t bytes) = 0;
  // Code in a form of this kind of device: an ELF object of the host, PTX or a cubin. It is trusted. `name`:
  // what messages about its lines call it.
  virtual Result<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code,
                                                   const std::string& name = {}) = 0;

  // Kind "no-graphs": it takes none, or none with loops and choices, with the reason.
  virtual Result<std::unique_ptr<DeviceGraph>> makeGraph(const std::vector<WorkNode>& work);
  // Why loops and choices cannot be nodes of its graphs; "" where they can.
  virtual std::string whyNoLoopsInGraphs() const { return "this kind of device takes no graphs"; }

  // Whether it looks at Stream::note.
  virtual bool takesNotes() const { return false; }
  // The most bytes that were allocated on streams at once since this was last asked, constants of programs
  // included; 0 where a device does not count them.
  virtual Result<int64_t> takeMostHeldBytes() { return 0; }
  // What it found wrong with the work it did, since this was last asked: of a device that checks. The place
  // has the instruction.
  virtual Diagnostics takeFindings() { return {}; }
};

}  // namespace hilo
