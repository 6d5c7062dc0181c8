#include <llvm/Support/TargetSelect.h>

#include <algorithm>

#include "core/compiler/codegen/codegen_target.h"

namespace hilo {
namespace {

constexpr std::string_view kFeatures[] = {"avx",      "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f",
                                          "avx512vl", "bmi",  "bmi2",     "f16c",     "fma",      "lzcnt",
                                          "popcnt",   "sse3", "sse4.1",   "sse4.2",   "ssse3"};
// Conversions of f16 are instructions in what the emitter writes.
constexpr std::string_view kNeeded[] = {"avx2", "fma", "f16c"};

void addToLlvm() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

VectorRegisters vectorRegisters(std::span<const std::string> features) {
  const bool isWide = std::ranges::find(features, "avx512f") != features.end();
  return isWide ? VectorRegisters{64, 32} : VectorRegisters{32, 16};
}

}  // namespace

const CodegenTarget& x86Target() {
  static constexpr CodegenTarget kTarget{.triple = "x86_64-pc-linux-gnu",
                                         .plainProcessor = "x86-64",
                                         .features = kFeatures,
                                         .needed = kNeeded,
                                         .addToLlvm = addToLlvm,
                                         .beginKernel = beginHostKernel,
                                         .callsAsHost = true,
                                         .vectorRegisters = vectorRegisters,
                                         .vectorBytes = 64,
                                         .lineBytes = 64,
                                         .firstCacheBytes = 32 << 10,
                                         .threadCacheBytes = 1 << 20,
                                         .allCacheBytes = 8 << 20};
  return kTarget;
}

}  // namespace hilo
