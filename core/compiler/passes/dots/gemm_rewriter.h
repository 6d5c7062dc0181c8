// Makes calls to cuBLAS of dots: the result and a workspace. Dots that it does not take (types, dimensions
// out of order) stay, and say why. What follows a call of cuBLASLt becomes part of it (gemm_epilogues.h). As
// XLA's backends/gpu/transforms/gemm_rewriter.cc, which goes over dots of 8 bit floats first (f8_gemm.h), and
// makes dots of halves of those that the library does not take.
#pragma once

#include <string_view>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct GemmRewriterSettings {
  bool cublasLt = true;   // __cublas$lt$matmul; else __cublas$gemm, as before 2026
  bool isF8 = false;      // dots of 8 bit floats, and no others; else the others
  bool fusesBias = true;  // also adds matrices and vectors
  int64_t smallest = 0;   // dots of fewer (free sizes of both sides together) * contracted elements stay
  int64_t workspaceBytes = 4 * 1024 * 1024;  // Hopper and later: 32 MiB; __cublas$gemm: no more than operands
  int64_t capability = 90;                   // compute capability, 90 for 9.0
};
// Why the library does not take a dot; "" where it does. What it gives then, in front of the dot.
std::string_view whyNoLibraryCall(const Instruction& dot);
Instruction* libraryCallOf(Instruction& dot, const GemmRewriterSettings& settings);

Result<bool> rewriteGemms(Module& module, PassContext& context, const GemmRewriterSettings& settings = {});

}  // namespace hilo
