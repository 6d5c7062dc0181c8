#include "core/compiler/codegen/cpu/cpu_target.h"

#include <fmt/format.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Host.h>

#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/emit/target_machine.h"

namespace hilo {
namespace {

llvm::StringRef asRef(std::string_view text) { return {text.data(), text.size()}; }

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
                  fmt::format("{} has no {}, which compiled kernels need", made.processor, needed));
  }
  return made;
}

}  // namespace

Result<ProgramTarget> processorTarget(std::string_view cpu) {
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

}  // namespace hilo
