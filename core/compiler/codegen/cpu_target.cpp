#include "core/compiler/codegen/cpu_target.h"

#include <fmt/format.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

namespace hilo {
namespace {

constexpr const char* kTriple = "x86_64-pc-linux-gnu";
// What kernels gain from and machine.cpp can look for.
constexpr std::string_view kFeatures[] = {"avx",      "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f",
                                          "avx512vl", "bmi",  "bmi2",     "f16c",     "fma",      "lzcnt",
                                          "popcnt",   "sse3", "sse4.1",   "sse4.2",   "ssse3"};

const llvm::Target* x86() {
  static const llvm::Target* target = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
  }();
  return target;
}

// Conversions of f16 are instructions in what the emitter writes.
Result<ProgramTarget> withNeeds(ProgramTarget target) {
  for (const std::string_view needed : {"avx2", "fma", "f16c"}) {
    if (std::ranges::find(target.features, needed) == target.features.end())
      return fail("unsupported-cpu",
                  fmt::format("{} has no {}, which compiled kernels need", target.cpu, needed));
  }
  return target;
}

}  // namespace

Result<ProgramTarget> cpuTarget(std::string_view cpu) {
  const llvm::Target* target = x86();
  if (target == nullptr) return fail("codegen-failed", "LLVM has no x86 target");
  ProgramTarget made{kTriple, std::string(cpu), {}};
  if (cpu.empty()) {
    made.cpu = llvm::sys::getHostCPUName().str();
    const auto has = llvm::sys::getHostCPUFeatures();
    for (const std::string_view feature : kFeatures) {
      if (has.lookup(llvm::StringRef(feature.data(), feature.size()))) made.features.emplace_back(feature);
    }
    return withNeeds(std::move(made));
  }
  // Asked of the plainest processor first: LLVM prints complaints about names it does not know.
  const llvm::StringRef name(cpu.data(), cpu.size());
  const auto infoOf = [&](llvm::StringRef which) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(llvm::Triple(kTriple), which, ""));
  };
  const auto plain = infoOf("");
  if (plain == nullptr || !plain->isCPUStringValid(name))
    return fail("unknown-cpu", fmt::format("LLVM knows no x86-64 processor called '{}'", cpu));
  const auto info = infoOf(name);
  for (const std::string_view feature : kFeatures) {
    if (info->checkFeatures("+" + std::string(feature))) made.features.emplace_back(feature);
  }
  return withNeeds(std::move(made));
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const ProgramTarget& target, bool quick) {
  const llvm::Target* x86Target = x86();
  if (x86Target == nullptr || target.triple != kTriple)
    return fail("codegen-failed", fmt::format("no code generator for {}", target.triple));
  std::string features;
  for (const std::string& feature : target.features) features += (features.empty() ? "+" : ",+") + feature;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(x86Target->createTargetMachine(
      llvm::Triple(target.triple), "x86-64", features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return fail("codegen-failed", fmt::format("no code generator for {}", target.cpu));
  return machine;
}

}  // namespace hilo
