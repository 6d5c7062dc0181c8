// A compiled module: everything needed to run it, and nothing of the compiler. Plain data, made by
// compiler/codegen, run by runtime/executor, saved and loaded by program_file.h.
//
// Memory: every value is a slice of an allocation. Arrays lie in their layout's order, one
// elementStorageBytes an element (sub-byte types take a byte each, as in a Literal). Parameters and
// constants are read-only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/shape.h"
#include "core/runtime/program/collectives.h"
#include "core/runtime/program/constant_bytes.h"
#include "core/runtime/program/thunks.h"

namespace hilo {

// DeviceIds: two u32, the replica and the partition the program runs as. ArgumentSizes: an s32 for
// each of argumentSizePlaces.
enum class AllocationKind : uint8_t { Temporary, Parameter, Constant, DeviceIds, ArgumentSizes };
inline constexpr int kAllocationKindCount = 5;
inline constexpr int64_t kDeviceIdsBytes = 8;
// Replicas, or partitions, or both together.
inline constexpr int64_t kMostDevices = 1024;

// XLA's number of the host's memory: S(5).
inline constexpr int64_t kHostMemorySpace = 5;

struct Allocation {
  AllocationKind kind = AllocationKind::Temporary;
  int64_t sizeBytes = 0;
  uint32_t number = 0;  // of the parameter leaf (all parameters' array leaves in order) or of the constant
  // As layouts have it: kHostMemorySpace is the host's, which the device reaches by the same addresses; all
  // other numbers are the device's own.
  int64_t memorySpace = 0;
  bool isOnHost() const { return memorySpace == kHostMemorySpace; }
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("kind", self.kind);
    v("size", self.sizeBytes);
    v("number", self.number);
    v("memorySpace", self.memorySpace);
  }
};

// Code of one or more kernels for `Program::target`: an ELF relocatable object; of a GPU, PTX.
struct KernelObject {
  std::vector<std::byte> code;
  std::string name = {};  // of PTX: what messages about its lines call it
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("code", self.code);
    v("name", self.name);
  }
};

// How a kernel of a GPU is launched. Not set (blockX 0): it is code of a processor, which is called.
struct GridLaunch {
  // gridX 0: as many blocks as give each iteration of the thunk a thread, and no more than kMostGridBlocks.
  uint32_t gridX = 0, gridY = 1, gridZ = 1;
  uint32_t blockX = 0, blockY = 1, blockZ = 1;
  uint32_t clusterX = 1, clusterY = 1, clusterZ = 1;
  uint32_t sharedBytes = 0;  // of a block, besides what the kernel declares
  // What it takes, as places among the arguments and then the results of its thunk. None: all of them in that
  // order, and last the number of iterations (u64).
  std::vector<uint32_t> parameters;
  bool isSet() const { return blockX != 0; }
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("gridX", self.gridX);
    v("gridY", self.gridY);
    v("gridZ", self.gridZ);
    v("blockX", self.blockX);
    v("blockY", self.blockY);
    v("blockZ", self.blockZ);
    v("clusterX", self.clusterX);
    v("clusterY", self.clusterY);
    v("clusterZ", self.clusterZ);
    v("sharedBytes", self.sharedBytes);
    v("parameters", self.parameters);
  }
};
inline constexpr uint32_t kMostGridBlocks = 1 << 16;

struct Kernel {
  std::string name;    // of the instruction it was first made for
  std::string symbol;  // in the object
  uint32_t object = 0;
  GridLaunch launch = {};
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("name", self.name);
    v("symbol", self.symbol);
    v("object", self.object);
    v("launch", self.launch);
  }
};

struct ProgramTarget {
  std::string triple;                 // "x86_64-pc-linux-gnu"
  std::string processor;              // "sapphirerapids", as LLVM calls it
  std::vector<std::string> features;  // what the code needs of the machine: "avx512f", sorted
};

// A program for this machine's processor within one for another device: what a library of that device does.
struct HostedProgram {
  std::vector<std::byte> file;  // as program_file.h has it
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("file", self.file);
  }
};

// A dimension of a leaf of the result that may have fewer elements than its bound, and where it says how
// many (an s32).
struct ResultSize {
  uint32_t leaf = 0, dimension = 0;
  ReadSlice size;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("leaf", self.leaf);
    v("dimension", self.dimension);
    v("size", self.size);
  }
};

struct Program {
  std::string name;
  uint64_t moduleHash = 0;
  ProgramTarget target;
  std::vector<Shape> parameters;
  std::vector<std::string> parameterNames;
  Shape result;
  std::vector<std::string> resultNames;  // of its elements, or of the one array it is
  // The output is what host_feed.h says: what outfeeds gave comes last.
  bool givesOutfeed = false;
  std::vector<Allocation> allocations;
  std::vector<ReadSlice> resultSlices;  // one an array leaf of the result, in order
  std::vector<ResultSize> resultSizes;
  std::vector<ConstantBytes> constants;
  std::vector<KernelObject> objects;
  std::vector<Kernel> kernels;
  std::vector<Collective> collectives;
  std::vector<HostedProgram> hosted;
  // The devices it was compiled for, as the module asks; it may be run on others.
  int64_t replicas = 1, partitions = 1;
  // [0] is what runs; a thunk may run only sequences numbered above its own, so that nothing recurses.
  std::vector<ThunkSequence> sequences;
};

// The array leaves of a shape, in order (tokens are none).
std::vector<Shape> arrayLeaves(Shape shape);
// A dimension of an array leaf of the parameters that may have fewer elements than its bound.
struct ArgumentSizePlace {
  uint32_t leaf = 0, dimension = 0;
};
// All of them, in order.
std::vector<ArgumentSizePlace> argumentSizePlaces(std::span<const Shape> parameters);
// Whether the array's layout puts it in the host's memory: S(5).
bool isInHostMemory(Shape array);
// Bytes one array takes in a buffer.
int64_t bufferBytes(Shape array);

// The shapes that infeeds take, without layouts, each once.
std::vector<Shape> infeedShapes(const Program& program);

// Uses of the thunk and of everything it may run.
std::vector<BufferUse> allBufferUses(const Program& program, const Thunk& thunk);

// hasOwnOrder of the thunk or of anything it may run.
bool mustKeepOrder(const Program& program, const Thunk& thunk);

// Checks a program that comes from outside: every number in its table, every slice in its allocation, no
// write to a constant or a parameter, sizes that fit the shapes. Kind "malformed-program".
Status checkProgram(const Program& program);

// Reads all constants of a saved program and tells which are not what was saved. Kind "damaged-file".
Status checkConstants(const Program& program);

// Whether its kernels are launched as grids: it runs on a GPU, or on what stands for one.
bool isForGrids(const Program& program);

// Why this machine cannot run code for `target`, with the features it lacks; ok when it
// can. Kind "wrong-machine".
Status checkMachine(const ProgramTarget& target);

// One line a thunk, indented by nesting, then the tables. For people, tests and bug reports.
std::string toText(const Program& program);
std::string toJson(const Program& program);

}  // namespace hilo
