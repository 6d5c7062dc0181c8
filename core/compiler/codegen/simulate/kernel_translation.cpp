// One kernel of PTX on its way to code of the host: IR of a thread, then of a warp.
#include "core/compiler/codegen/simulate/kernel_translation.h"

#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/simulate/function_emitter.h"
#include "core/compiler/codegen/simulate/inline_waits.h"
#include "core/compiler/codegen/simulate/kernel_facts.h"
#include "core/compiler/codegen/simulate/lane_loops.h"
#include "core/compiler/codegen/simulate/operand_emitter.h"
#include "core/compiler/codegen/simulate/split_regions.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

uint32_t alignUp(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

class KernelTranslation {
 public:
  KernelTranslation(const PtxModule& module, const PtxFunction& kernel, const SimulateOptions& options)
      : module_(module),
        ptx_(kernel),
        reached_(reachableFrom(module, kernel)),
        out_(std::make_unique<llvm::Module>(kernel.name, llvm_)),
        context_{
            .ptx = module, .out = *out_, .isChecked = options.isChecked, .isCounted = options.isCounted} {}

  TranslatedKernel translate();

 private:
  void place();
  llvm::Function* declare(const PtxFunction& function);
  void finish();

  const PtxModule& module_;
  const PtxFunction& ptx_;
  const ReachablePtx reached_;
  llvm::LLVMContext llvm_;
  std::unique_ptr<llvm::Module> out_;
  KernelContext context_;
  SimulatedKernel kernel_;
};

// Where its parameters and shared variables are.
void KernelTranslation::place() {
  for (const SimulatedParam& param : kernel_.params) context_.paramOffsets[param.name] = param.offset;
  for (const SimulatedShared& shared : kernel_.shared) context_.sharedPlaces[shared.name] = shared.offset;
  for (const PtxVariable* variable : sharedOfLaunch(module_, reached_))
    context_.sharedPlaces[variable->name] = kernel_.sharedBytes;
}

llvm::Function* KernelTranslation::declare(const PtxFunction& function) {
  auto* pointer = llvm::PointerType::getUnqual(llvm_);
  std::vector<llvm::Type*> types(function.isEntry ? 4 : 1 + function.params.size() + function.returns.size(),
                                 pointer);
  if (function.isEntry)
    types.insert(types.end(), {llvm::Type::getInt32Ty(llvm_), llvm::Type::getInt1Ty(llvm_), pointer});
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvm_), types, false);
  auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, "ptx." + function.name, *out_);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->addFnAttr("stack-probe-size", "1048576");
  return made;
}

TranslatedKernel KernelTranslation::translate() {
  TranslatedKernel out{.kernel = {.name = ptx_.name}, .problems = whyTooLarge(module_, reached_)};
  if (!out.problems.empty()) return out;
  kernel_ = kernelFacts(module_, reached_);
  place();
  for (const PtxFunction* function : reached_.functions)
    context_.functions[function->name] = declare(*function);
  for (const PtxFunction* function : reached_.functions)
    FunctionEmitter(context_, *function, context_.functions[function->name]).emit(out.problems);
  if (out.problems.empty()) inlineWaits(*out_, *context_.functions[ptx_.name], out.problems);
  if (!out.problems.empty()) return out;
  finish();
  out.bitcode = bitcodeOf(*out_);
  out.kernel = std::move(kernel_);
  return out;
}

// The code of one thread as that of warps.
void KernelTranslation::finish() {
  uint32_t values = 0;
  for (const SimulatedPoint& point : context_.points) values = std::max(values, point.values + 1);
  const ThreadRegions regions =
      splitRegions(*context_.functions[ptx_.name], context_.isChecked,
                   kContextRecords + values * kSimLanes * uint32_t{sizeof(uint64_t)});
  for (const uint32_t point : regions.points) kernel_.points.push_back(context_.points[point]);
  kernel_.contextBytes = alignUp(regions.contextBytes, kContextAlignment);
  kernel_.localOffset = regions.localOffset;
  kernel_.localBytes = regions.localBytes;
  kernel_.accesses = context_.accesses;
  writeLaneLoops(*out_, regions, kernel_, !context_.isChecked && !context_.isCounted);
}

}  // namespace

TranslatedKernel translateKernel(const PtxModule& module, const PtxFunction& kernel,
                                 const SimulateOptions& options) {
  return KernelTranslation(module, kernel, options).translate();
}

}  // namespace hilo
