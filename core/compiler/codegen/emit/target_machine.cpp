#include "core/compiler/codegen/emit/target_machine.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

namespace hilo {

const llvm::Target* llvmTarget(const CodegenTarget& kind) {
  // LLVM's registry is a list without a lock: once a kind is in it, it is only read.
  static std::mutex mutex;
  static auto& added = *new absl::flat_hash_set<std::string_view>();
  const std::lock_guard lock(mutex);
  if (added.insert(kind.triple).second) kind.addToLlvm();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(kind.triple), error);
}

std::string_view processorOf(const CodegenTarget& kind, const ProgramTarget& target) {
  return *kind.plainProcessor == '\0' ? std::string_view(target.processor) : kind.plainProcessor;
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const CodegenTarget& kind,
                                                               const ProgramTarget& target, bool quick) {
  const llvm::Target* found = llvmTarget(kind);
  if (found == nullptr) return fail("codegen-failed", fmt::format("no code generator for {}", kind.triple));
  std::string features;
  for (const std::string& feature : target.features) features += (features.empty() ? "+" : ",+") + feature;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(llvm::Triple(kind.triple), llvm::StringRef(processorOf(kind, target)),
                                 features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                 quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
  if (machine == nullptr)
    return fail("codegen-failed", fmt::format("no code generator for {}", target.processor));
  return machine;
}

}  // namespace hilo
