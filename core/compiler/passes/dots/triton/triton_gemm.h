// Makes a fusion of kind __triton_gemm of each dot of matrices in a type that tensor cores take, with
// the conversions and other elementwise work of one array that lead to its operands and follow its result,
// as long as nothing else reads what lies between and the kernel reads little more. As
// xla/backends/gpu/transforms/gemm_fusion.cc, without its search over dimension orders: broadcasts, slices,
// and work of two arrays stay outside.
#pragma once

#include <string>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct GemmFusionSettings {
  int64_t smallest = 100;
  bool wide = false;  // as gemm_members.h says, with bitcasts taken out
  bool any = true;    // also dots that nothing but bitcasts goes with, which a library does as well
};
Result<bool> fuseGemms(Module& module, PassContext& context, const GemmFusionSettings& settings = {});

// The only dot of a fused computation; null where there is none, or more.
Instruction* dotOf(const Computation& fused);

}  // namespace hilo
