// A PTX module as host code, in plain data: codegen/simulate makes it, SimulatedModule runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hilo {

struct SimulatedParam {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};
struct SimulatedShared {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

// Where a thread may have to wait for others.
enum class SimPointKind : uint8_t { Begin, Warp, Barrier, ActiveMask, ClusterWait, Yield };
struct SimulatedPoint {
  SimPointKind kind = SimPointKind::Begin;
  uint32_t operation = 0, detail = 0;  // of sim_abi.h; of Barrier its mode
  uint32_t values = 0;                 // that lanes lay down; of Warp the mask comes after them
  bool isFull = false;                 // Warp: the mask is all; Barrier: barrier 0 of the whole block
  uint32_t line = 0;                   // of PTX
};

// An instruction that accesses memory, where that is checked or counted.
struct SimulatedAccess {
  uint32_t line = 0, bytes = 0;
  uint32_t kind = 0;  // of sim_abi.h
  uint32_t whole =
      0;  // the bytes of the access that this is the begin of, to which it is aligned; 0: its own
  uint32_t alignment() const { return whole == 0 ? bytes : whole; }
};

struct SimulatedKernel {
  std::string name;
  std::vector<std::byte> object;  // with the SimKernelFunction "kernel"
  std::vector<SimulatedParam> params;
  uint32_t paramBytes = 0;
  std::vector<SimulatedShared> shared;  // those of fixed size
  uint32_t sharedBytes = 0;             // of these; memory of the launch's size follows, aligned to 128
  uint32_t stackBytes = 0;              // that a thread needs, of functions that it calls
  std::vector<SimulatedPoint> points;   // 0: its beginning
  std::vector<SimulatedAccess> accesses;
  uint32_t contextBytes = 0;                 // of a warp
  uint32_t localOffset = 0, localBytes = 0;  // where lanes have local memory in it, and how much each
  bool isRow = false;                        // code for 32 lanes takes them to differ in tid.x alone
  uint32_t requiredThreads[3] = {0, 0, 0};   // .reqntid; 0: any
  uint32_t mostThreads = 0;                  // .maxntid, all together; 0: any
  uint32_t requiredCluster[3] = {0, 0, 0};   // .reqnctapercluster
  uint64_t instructions = 0;                 // of PTX, as written
};

struct SimulatedSymbolAt {
  uint32_t offset = 0, bytes = 8;
  std::string name;  // of a global
  int64_t addend = 0;
};
// .global and .const, in memory of the host while the module is loaded.
struct SimulatedGlobal {
  std::string name;
  uint64_t bytes = 0, alignment = 1;
  std::vector<std::byte> initial;
  std::vector<SimulatedSymbolAt> symbols;
  bool isConst = false;
};

struct SimulatedCode {
  std::string file;  // for messages
  std::vector<SimulatedKernel> kernels;
  std::vector<SimulatedGlobal> globals;
  bool isChecked = false;  // each access is held against the memory that is known
  bool isCounted = false;  // instructions, accesses and branches are counted
};

}  // namespace hilo
