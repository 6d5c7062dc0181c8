// A driver without a GPU, for tests: a shared library with the symbols of driver_functions.def, whose
// device's memory is the host's and whose streams do all at once. It knows one kernel, add_s32 of reducers.c,
// in whatever code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/device/cuda/driver.h"

namespace hilo {

struct FakeDriver {
  // What it answers.
  int version = 13000, deviceCount = 1;
  std::map<int, int> attributes;       // of the GPU, by number
  std::map<std::string, int> failing;  // what a symbol gives instead of doing anything
  std::string compilerLog;             // of PTX that fails
  int kernelSharedBytes = 0;
  // What it was asked, a line a call: the symbol, then what tests look at ("cuStreamCreate flags 1").
  std::vector<std::string> calls;
  uint64_t pooledBytes = 0;  // allocated on streams since the most was last set to 0
  int living =
      0;  // contexts, modules, streams, events and pieces of memory that were made and not given back
};

// That of the library HILO_FAKE_DRIVER, as new. One for the whole process.
FakeDriver& newFakeDriver();
// The driver that the library is; CHECKed.
std::shared_ptr<const Driver> loadFakeDriver();

}  // namespace hilo
