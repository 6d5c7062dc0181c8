#include "core/compiler/codegen/emit/scalar_library.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>

#include <set>

#include "core/base/check.h"

// The file itself, as the assembler includes it.
asm(R"(
  .section .rodata
  .balign 16
  .globl hilo_scalars_begin
hilo_scalars_begin:
  .incbin ")" HILO_SCALARS_BITCODE R"("
  .globl hilo_scalars_end
hilo_scalars_end:
  .byte 0
  .balign 16
  .globl hilo_nvptx_scalars_begin
hilo_nvptx_scalars_begin:
  .incbin ")" HILO_NVPTX_SCALARS_BITCODE R"("
  .globl hilo_nvptx_scalars_end
hilo_nvptx_scalars_end:
  .byte 0
  .text
)");
extern "C" const char hilo_scalars_begin[], hilo_scalars_end[];
extern "C" const char hilo_nvptx_scalars_begin[], hilo_nvptx_scalars_end[];

namespace hilo {
namespace {

std::string messageOf(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase& info) { text += info.message(); });
  return text;
}

Result<std::unique_ptr<llvm::Module>> readLibrary(llvm::LLVMContext& context,
                                                  ScalarBuild build = ScalarBuild::Host) {
  const std::string_view bitcode = scalarLibraryBitcode(build);
  auto module = llvm::getLazyBitcodeModule({{bitcode.data(), bitcode.size()}, "scalars"}, context);
  if (!module) return fail("codegen-failed", "scalar library: " + messageOf(module.takeError()));
  return std::move(*module);
}

}  // namespace

std::string_view scalarLibraryBitcode(ScalarBuild build) {
  if (build == ScalarBuild::Nvptx)
    return {hilo_nvptx_scalars_begin, static_cast<size_t>(hilo_nvptx_scalars_end - hilo_nvptx_scalars_begin)};
  return {hilo_scalars_begin, static_cast<size_t>(hilo_scalars_end - hilo_scalars_begin)};
}

std::string scalarLibraryTriple() {
  llvm::LLVMContext context;
  const auto library = readLibrary(context);
  CHECK(library.has_value());
  return (*library)->getTargetTriple().str();
}

bool hasScalarFunction(std::string_view name) {
  static const auto& names = *[] {
    auto* found = new std::set<std::string, std::less<>>();
    llvm::LLVMContext context;
    const auto library = readLibrary(context);
    CHECK(library.has_value());
    for (const llvm::Function& function : **library) {
      if (!function.isDeclaration() || function.isMaterializable()) found->insert(function.getName().str());
    }
    return found;
  }();
  return names.contains(name);
}

Status linkScalarLibrary(llvm::Module& module, ScalarBuild build, bool inlined) {
  absl::flat_hash_set<std::string> mine;
  bool needed = false;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) mine.insert(function.getName().str());
    needed |= function.isDeclaration() && hasScalarFunction(std::string_view(function.getName()));
  }
  if (!needed) return {};
  TRY(auto library, readLibrary(module.getContext(), build));
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded))
    return fail("codegen-failed", "the scalar library does not link");
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || mine.contains(function.getName().str())) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    // The kernel's own target holds: these were compiled for the plainest one.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr(llvm::Attribute::NoInline);
    if (inlined) function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  return {};
}

}  // namespace hilo
