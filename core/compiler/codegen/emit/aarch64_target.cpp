// To compile for and look at from elsewhere: runtime/device loads no object code of this kind.
#include <llvm/Support/TargetSelect.h>

#include "core/compiler/codegen/emit/codegen_targets.h"

namespace hilo {
namespace {

// Vectors are of one length wherever kernels write them, so that SVE is not used.
constexpr std::string_view kFeatures[] = {"bf16", "dotprod", "fp-armv8", "fullfp16", "lse", "neon"};
constexpr std::string_view kNeeded[] = {"fp-armv8", "neon"};

void addToLlvm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

VectorRegisters vectorRegisters(std::span<const std::string>) { return {16, 32}; }
const Bf16Rounding* bf16Rounding(std::span<const std::string>) { return nullptr; }

}  // namespace

const CodegenTarget& aarch64Target() {
  static constexpr CodegenTarget kTarget{.triple = "aarch64-unknown-linux-gnu",
                                         .plainProcessor = "generic",
                                         .features = kFeatures,
                                         .needed = kNeeded,
                                         .addToLlvm = addToLlvm,
                                         .beginKernel = beginHostKernel,
                                         .endKernel = endHostKernel,
                                         .callsAsHost = false,
                                         .vectorRegisters = vectorRegisters,
                                         .bf16Rounding = bf16Rounding,
                                         .vectorBytes = 64,
                                         .lineBytes = 64,
                                         .firstCacheBytes = 32 << 10,
                                         .threadCacheBytes = 1 << 20,
                                         .allCacheBytes = 8 << 20};
  return kTarget;
}

}  // namespace hilo
