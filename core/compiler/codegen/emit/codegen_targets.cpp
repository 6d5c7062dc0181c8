#include "core/compiler/codegen/emit/codegen_targets.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace hilo {

#define CODEGEN_TARGET(target) const CodegenTarget& target();
#include "core/compiler/codegen/emit/codegen_targets.def"

std::span<const CodegenTarget* const> codegenTargets() {
  static const CodegenTarget* const kTargets[] = {
#define CODEGEN_TARGET(target) &target(),
#include "core/compiler/codegen/emit/codegen_targets.def"
  };
  return kTargets;
}

const CodegenTarget* findCodegenTarget(std::string_view triple) {
  for (const CodegenTarget* target : codegenTargets()) {
    if (triple == target->triple) return target;
  }
  return nullptr;
}

KernelFrame beginHostKernel(llvm::Module& module, const char* symbol) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {llvm::PointerType::getUnqual(context), i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  return {function, function->getArg(0), function->getArg(1), function->getArg(2)};
}

void endHostKernel(const KernelFrame&, llvm::IRBuilderBase& b, int) { b.CreateRetVoid(); }

}  // namespace hilo
