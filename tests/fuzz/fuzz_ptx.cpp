// Any bytes as PTX: read, print, and read the print again. A module that was read must reach a fixed point.

#include <cstdlib>

#include "core/runtime/ptx/read_ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hilo;
  const auto module = readPtx({reinterpret_cast<const char*>(data), size});
  if (!module) return 0;
  const std::string printed = printPtx(*module);
  const auto again = readPtx(printed);
  if (!again) std::abort();
  if (printPtx(*again) != printed) std::abort();
  return 0;
}
