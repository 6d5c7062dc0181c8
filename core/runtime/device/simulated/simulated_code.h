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

struct SimulatedKernel {
  std::string name;
  std::vector<std::byte> object;  // with the function "kernel" (sim_thread.h)
  std::vector<SimulatedParam> params;
  uint32_t paramBytes = 0;
  std::vector<SimulatedShared> shared;      // those of fixed size
  uint32_t sharedBytes = 0;                 // of these; memory of the launch's size follows, aligned to 128
  uint32_t stackBytes = 0;                  // that a thread needs, of local memory
  bool waits = false;                       // its threads wait for each other: each is a fiber
  uint32_t requiredThreads[3] = {0, 0, 0};  // .reqntid; 0: any
  uint32_t mostThreads = 0;                 // .maxntid, all together; 0: any
  uint32_t requiredCluster[3] = {0, 0, 0};  // .reqnctapercluster
  uint64_t instructions = 0;                // of PTX, as written
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
};

}  // namespace hilo
