// Any bytes as an MLIR file: through the StableHLO plug-in, verified and printed. Reading must never crash;
// what was read without errors must print.

#include <cstdlib>

#include "core/hlo/text/print.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/open/verify_file.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("HILO_PLUGIN_PATH", HILO_STABLEHLO_PLUGIN, 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hilo;
  const auto file = openBytes(std::string(reinterpret_cast<const char*>(data), size), "input");
  if (!file) return 0;
  verifyFile(**file);
  printModule(*(*file)->module, PrintOptions::shortText());
  return 0;
}
