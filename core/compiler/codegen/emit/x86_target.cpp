#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>

#include "core/compiler/codegen/emit/codegen_targets.h"

namespace hilo {
namespace {

constexpr std::string_view kFeatures[] = {
    "avx",  "avx2", "avx512bf16", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi",
    "bmi2", "f16c", "fma",        "lzcnt",    "popcnt",   "sse3",     "sse4.1",  "sse4.2",   "ssse3"};
// Conversions of f16 are instructions in what the emitter writes.
constexpr std::string_view kNeeded[] = {"avx2", "fma", "f16c"};

void addToLlvm() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

bool has(std::span<const std::string> features, std::string_view feature) {
  return std::ranges::find(features, feature) != features.end();
}

VectorRegisters vectorRegisters(std::span<const std::string> features) {
  return has(features, "avx512f") ? VectorRegisters{64, 32} : VectorRegisters{32, 16};
}

// VCVTNE2PS2BF16 takes numbers below the least normal one for zero, and keeps what a NaN carries.
llvm::Value* differsFromVcvt(llvm::IRBuilderBase& b, llvm::Value* x) {
  constexpr uint32_t kQuietNan = 0x01, kDenormal = 0x20, kSignallingNan = 0x80;
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512,
                           {x, b.getInt32(kQuietNan | kDenormal | kSignallingNan)});
}

llvm::Value* roundByVcvt(llvm::IRBuilderBase& b, llvm::Value* low, llvm::Value* high) {
  llvm::Value* both = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_cvtne2ps2bf16_512, {high, low});
  return b.CreateBitCast(both, llvm::FixedVectorType::get(b.getInt16Ty(), 32));
}

const Bf16Rounding* bf16Rounding(std::span<const std::string> features) {
  static constexpr Bf16Rounding kRounding{16, differsFromVcvt, roundByVcvt};
  return has(features, "avx512bf16") && has(features, "avx512dq") ? &kRounding : nullptr;
}

}  // namespace

const CodegenTarget& x86Target() {
  static constexpr CodegenTarget kTarget{.triple = "x86_64-pc-linux-gnu",
                                         .plainProcessor = "x86-64",
                                         .features = kFeatures,
                                         .needed = kNeeded,
                                         .addToLlvm = addToLlvm,
                                         .beginKernel = beginHostKernel,
                                         .endKernel = endHostKernel,
                                         .callsAsHost = true,
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
