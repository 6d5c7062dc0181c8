// Any bytes as a kernel: as what one does with memory, as text of the checks; as MLIR,
// through the Mosaic plug-in.

#include <cstdlib>

#include "core/analysis/kernel_checks/kernel_checks.h"
#include "core/workspace/kernels/studied_kernel.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("HILO_PLUGIN_PATH", HILO_MOSAIC_PLUGIN, 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hilo;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto program = parseKernelProgram(bytes)) checkKernel(*program);
  (void)studyKernel(bytes, "input");
  return 0;
}
