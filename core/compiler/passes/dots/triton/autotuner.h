// Chooses for each __triton_gemm fusion what runs it: the library, with kernels of their own for the work
// around the dot, or one kernel of tiles, whose sizes it writes down (triton_gemm_config). XLA measures on a
// device what is faster (xla/backends/autotuner); here nothing is measured: times are estimated from bytes,
// operations and the rates of the device, and the remark says both. Calls of cuBLASLt without an algorithm
// get the first of its list, as XLA gives them where it has no device.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AutotunerSettings {
  int64_t memoryBandwidthGbps = 3350;
  int64_t gflops = 66900;
  int64_t tritonPercent = 85;
  bool cublasLt = true;
  bool deterministic = false;  // no kernel of tiles where the library can do it
};
Result<bool> chooseGemmKernels(Module& module, PassContext& context, const AutotunerSettings& settings = {});

}  // namespace hilo
