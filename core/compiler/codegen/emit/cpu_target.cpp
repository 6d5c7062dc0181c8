#include "core/compiler/codegen/emit/cpu_target.h"

#include <fmt/format.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "core/compiler/codegen/emit/codegen_target.h"

namespace hilo {
namespace {

llvm::StringRef asRef(std::string_view text) { return {text.data(), text.size()}; }

// Null where this LLVM was built without it.
const llvm::Target* llvmTarget(const CodegenTarget& target) {
  static std::once_flag added;
  std::call_once(added, [] {
    for (const CodegenTarget* each : codegenTargets()) each->addToLlvm();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(target.triple), error);
}

std::unique_ptr<llvm::MCSubtargetInfo> infoOf(const CodegenTarget& target, std::string_view cpu) {
  const llvm::Target* found = llvmTarget(target);
  if (found == nullptr) return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      found->createMCSubtargetInfo(llvm::Triple(target.triple), asRef(cpu), ""));
}

// Asked of the plainest processor: LLVM prints complaints about names it does not know.
bool knows(const CodegenTarget& target, std::string_view cpu) {
  const auto plain = infoOf(target, "");
  return plain != nullptr && plain->isCPUStringValid(asRef(cpu));
}

Result<ProgramTarget> withNeeds(ProgramTarget made, const CodegenTarget& target) {
  for (const std::string_view needed : target.needed) {
    if (std::ranges::find(made.features, needed) == made.features.end())
      return fail("unsupported-cpu",
                  fmt::format("{} has no {}, which compiled kernels need", made.cpu, needed));
  }
  return made;
}

}  // namespace

Result<ProgramTarget> cpuTarget(std::string_view cpu) {
  if (cpu.empty()) {
    const CodegenTarget& target = *codegenTargets()[0];
    ProgramTarget made{target.triple, llvm::sys::getHostCPUName().str(), {}};
    const auto has = llvm::sys::getHostCPUFeatures();
    for (const std::string_view feature : target.features) {
      if (has.lookup(asRef(feature))) made.features.emplace_back(feature);
    }
    return withNeeds(std::move(made), target);
  }
  for (const CodegenTarget* target : codegenTargets()) {
    if (!knows(*target, cpu)) continue;
    ProgramTarget made{target->triple, std::string(cpu), {}};
    const auto info = infoOf(*target, cpu);
    for (const std::string_view feature : target->features) {
      if (info->checkFeatures("+" + std::string(feature))) made.features.emplace_back(feature);
    }
    return withNeeds(std::move(made), *target);
  }
  return fail("unknown-cpu", fmt::format("LLVM knows no x86-64 or aarch64 processor called '{}'", cpu));
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const ProgramTarget& program, bool quick) {
  const CodegenTarget* target = findCodegenTarget(program.triple);
  const llvm::Target* found = target == nullptr ? nullptr : llvmTarget(*target);
  if (found == nullptr)
    return fail("codegen-failed", fmt::format("no code generator for {}", program.triple));
  std::string features;
  for (const std::string& feature : program.features) features += (features.empty() ? "+" : ",+") + feature;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      llvm::Triple(program.triple), target->plainProcessor, features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return fail("codegen-failed", fmt::format("no code generator for {}", program.cpu));
  return machine;
}

}  // namespace hilo
