// The types of the NVIDIA driver's C interface as far as it is called here, declared anew after the driver
// API reference (CUDA 13.0), so that building needs nothing of CUDA. Sizes and numbers are the interface's
// own; handles are pointers to what only the driver knows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo {

using DriverResult = int;  // 0: done
inline constexpr DriverResult kDriverDone = 0;
inline constexpr DriverResult kDriverNotReady = 600;

using DriverDevice = int;
using DriverAddress = uint64_t;
using DriverContext = struct OpaqueDriverContext*;
using DriverModule = struct OpaqueDriverModule*;
using DriverKernel = struct OpaqueDriverKernel*;
using DriverStream = struct OpaqueDriverStream*;
using DriverEvent = struct OpaqueDriverEvent*;
using DriverPool = struct OpaqueDriverPool*;
using DriverGraph = struct OpaqueDriverGraph*;
using DriverGraphRun = struct OpaqueDriverGraphRun*;
using DriverNode = struct OpaqueDriverNode*;
using DriverLink = struct OpaqueDriverLink*;

struct DriverLaunchAttribute {
  static constexpr uint32_t kClusterDimension = 4;
  uint32_t id = 0;
  uint32_t unused = 0;
  struct {
    uint32_t x = 0, y = 0, z = 0;
    std::byte otherKinds[52] = {};
  } value;
};
static_assert(sizeof(DriverLaunchAttribute) == 72);

struct DriverLaunch {
  uint32_t gridX = 1, gridY = 1, gridZ = 1;
  uint32_t blockX = 1, blockY = 1, blockZ = 1;
  uint32_t sharedBytes = 0;
  DriverStream stream = nullptr;
  DriverLaunchAttribute* attributes = nullptr;
  uint32_t attributeCount = 0;
};
static_assert(sizeof(DriverLaunch) == 56);

// A kernel as the node of a graph.
struct DriverKernelNode {
  DriverKernel kernel = nullptr;
  uint32_t gridX = 1, gridY = 1, gridZ = 1;
  uint32_t blockX = 1, blockY = 1, blockZ = 1;
  uint32_t sharedBytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* library = nullptr;
  DriverContext context = nullptr;
};
static_assert(sizeof(DriverKernelNode) == 72);

// A copy between pieces of the device's memory, as the driver describes copies in three dimensions.
struct DriverCopyEnd {
  static constexpr uint32_t kDeviceMemory = 2;
  size_t x = 0, y = 0, z = 0, level = 0;
  uint32_t memoryKind = kDeviceMemory;
  void* host = nullptr;
  DriverAddress device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  size_t pitch = 0, height = 0;
};
struct DriverCopy {
  DriverCopyEnd from, to;
  size_t width = 0, height = 1, depth = 1;
};
static_assert(sizeof(DriverCopy) == 200);

// A node that decides which of its graphs run, how often: the driver makes the graphs.
struct DriverNodeParameters {
  static constexpr uint32_t kConditional = 13;
  static constexpr uint32_t kIf = 0, kWhile = 1, kSwitch = 2;
  uint32_t kind = kConditional;
  uint32_t reserved[3] = {};
  uint64_t condition = 0;
  uint32_t conditionalKind = kWhile;
  uint32_t graphCount = 1;
  DriverGraph* graphs = nullptr;  // set by the driver
  DriverContext context = nullptr;
  std::byte otherKinds[208] = {};
};
static_assert(sizeof(DriverNodeParameters) == 256);

struct DriverUpdateResult {
  int result = 0;  // 0: done
  DriverNode node = nullptr, from = nullptr;
};

// Input of the driver's linker.
inline constexpr int kLinkPtx = 1, kLinkLibrary = 4;

// Of a kernel. kMostSharedBytes and kLargeClusters may be set.
enum class DriverKernelAttribute : int {
  kMostBlockThreads = 0,
  kSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMostSharedBytes = 8,  // that a launch may ask for
  kLargeClusters = 14,   // of more than the 8 blocks that every device takes
};

// Of the compilation of PTX.
enum class DriverJitOption : int { kErrorLog = 5, kErrorLogBytes = 6 };

inline constexpr int kPoolMostUsedBytes = 8;        // at once; set to 0 it begins anew
inline constexpr int kPoolReleaseThreshold = 4;     // bytes that a memory pool keeps when it is idle
inline constexpr unsigned kStreamNonBlocking = 1;   // waits for nothing of the stream 0
inline constexpr unsigned kHostMemoryPortable = 1;  // for all contexts

}  // namespace hilo
