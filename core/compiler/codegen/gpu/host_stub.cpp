#include "core/compiler/codegen/gpu/host_stub.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/base/check.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"

namespace hilo {
namespace {

std::string stubSource(const StubCall& call) {
  llvm::LLVMContext context;
  llvm::Module module("stub", context);
  const KernelFrame frame = beginHostKernel(module, KernelBuilder::kSymbol);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", frame.function));
  const auto address = [&](const void* pointer) {
    return b.CreateIntToPtr(b.getInt64(reinterpret_cast<uintptr_t>(pointer)), b.getPtrTy());
  };
  auto* type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  b.CreateCall(type, address(reinterpret_cast<const void*>(call.function)),
               {address(call.state), frame.buffers, frame.begin, frame.end});
  b.CreateRetVoid();
  return bitcodeOf(module);
}

}  // namespace

Result<std::vector<KernelObject>> stubObjects(std::span<const StubCall> calls, const ProgramTarget& host) {
  std::vector<std::string> sources;
  std::vector<Kernel> kernels;
  for (const StubCall& call : calls) {
    sources.push_back(stubSource(call));
    kernels.push_back({"stub", KernelBuilder::kSymbol, 0});
  }
  const CodegenTarget* kind = findCodegenTarget(host.triple);
  CHECK(kind != nullptr, host.triple);
  TRY(CompiledKernels made, compileKernels(sources, kernels, *kind, {.target = host, .quick = true}));
  std::vector<KernelObject> objects;
  for (const uint32_t object : made.objectOf) objects.push_back(made.objects[object]);
  return objects;
}

}  // namespace hilo
