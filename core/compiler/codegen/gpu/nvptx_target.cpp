#include "core/compiler/codegen/gpu/nvptx_target.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>

#include "core/base/check.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/gpu/gpu_target.h"

namespace hilo {
namespace {

using llvm::Value;

constexpr unsigned kGlobalMemory = 1;  // LLVM's number of the address space

void addToLlvm() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

// As LLVM's target has it: what is emitted is aligned by it.
KernelFrame beginKernel(llvm::Module& module, const char* symbol) {
  module.setDataLayout("e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64");
  return beginHostKernel(module, symbol);
}

// The entry with the code of the builder's function, which is gone then.
llvm::Function* makeEntry(llvm::Function& written, int buffers) {
  llvm::LLVMContext& context = written.getContext();
  llvm::SmallVector<llvm::Type*, 8> types(static_cast<size_t>(buffers),
                                          llvm::PointerType::get(context, kGlobalMemory));
  types.push_back(llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "", written.getParent());
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  entry->copyAttributesFrom(&written);
  entry->setAttributes(entry->getAttributes().removeParamAttributes(context, 0));
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  for (int i = 0; i < buffers; ++i) {
    entry->addParamAttr(static_cast<unsigned>(i), llvm::Attribute::NoAlias);
    entry->addParamAttr(static_cast<unsigned>(i),
                        llvm::Attribute::getWithAlignment(context, llvm::Align(16)));
  }
  if (!entry->hasFnAttribute(kWholeBlocks)) entry->addFnAttr("nvvm.maxntid", std::to_string(kBlockThreads));
  entry->takeName(&written);
  entry->splice(entry->begin(), &written);
  entry->setSubprogram(written.getSubprogram());
  written.setSubprogram(nullptr);
  return entry;
}

// What was read from the array of buffers is a parameter, in the generic address space.
void readParameters(llvm::Function& entry, Value* buffers) {
  for (llvm::User* user : llvm::make_early_inc_range(buffers->users())) {
    auto* place = llvm::cast<llvm::GetElementPtrInst>(user);
    const auto buffer =
        static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(place->getOperand(1))->getZExtValue());
    auto* load = llvm::cast<llvm::LoadInst>(place->user_back());
    llvm::IRBuilder<> b(load);
    load->replaceAllUsesWith(b.CreateAddrSpaceCast(entry.getArg(buffer), load->getType()));
    load->eraseFromParent();
    place->eraseFromParent();
  }
}

// The number of the thread in the grid, and how many there are.
struct Thread {
  Value *number, *count;
};
Thread threadOf(llvm::IRBuilder<>& b) {
  const auto read = [&](llvm::Intrinsic::ID id) {
    return b.CreateZExt(b.CreateIntrinsic(id, {}), b.getInt64Ty());
  };
  Value* width = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value* first = b.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), width);
  return {b.CreateAdd(first, read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x)),
          b.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), width)};
}

// A loop around all that was written, which does one iteration: i = thread, thread + threads, ...
void endKernel(const KernelFrame& frame, llvm::IRBuilderBase& b, int buffers) {
  llvm::Function* entry = makeEntry(*frame.function, buffers);
  readParameters(*entry, frame.buffers);
  llvm::Instruction* jump = entry->getEntryBlock().getTerminator();
  llvm::BasicBlock* body = jump->getSuccessor(0);
  llvm::LLVMContext& context = entry->getContext();
  auto* head = llvm::BasicBlock::Create(context, "iteration", entry, body);
  auto* done = llvm::BasicBlock::Create(context, "done", entry);
  llvm::IRBuilder<> atEntry(jump);
  const Thread thread = threadOf(atEntry);
  jump->setSuccessor(0, head);
  llvm::IRBuilder<> atHead(head);
  llvm::PHINode* i = atHead.CreatePHI(atHead.getInt64Ty(), 2);
  Value* next = atHead.CreateAdd(i, atHead.getInt64(1), "", true, true);
  atHead.CreateCondBr(atHead.CreateICmpSLT(i, entry->getArg(static_cast<unsigned>(buffers))), body, done);
  i->addIncoming(thread.number, &entry->getEntryBlock());
  i->addIncoming(b.CreateAdd(i, thread.count, "", true, true), b.GetInsertBlock());
  b.CreateBr(head);
  llvm::IRBuilder<>(done).CreateRetVoid();
  frame.begin->replaceAllUsesWith(i);
  frame.end->replaceAllUsesWith(next);
  frame.function->eraseFromParent();
}

// Which memory an address is of is seen first; how it is aligned last, for the pass of the back end that
// makes one access of neighbouring ones.
void addPasses(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAddressSpacesPass()));
  });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAlignmentPass()));
      });
}

// Functions of floats that LLVM writes as calls of a C library there is none of.
bool isMathCall(llvm::Intrinsic::ID id) {
  static constexpr llvm::Intrinsic::ID kCalls[] = {
      llvm::Intrinsic::acos,  llvm::Intrinsic::asin,  llvm::Intrinsic::atan,   llvm::Intrinsic::atan2,
      llvm::Intrinsic::cos,   llvm::Intrinsic::cosh,  llvm::Intrinsic::exp,    llvm::Intrinsic::exp10,
      llvm::Intrinsic::exp2,  llvm::Intrinsic::frexp, llvm::Intrinsic::ldexp,  llvm::Intrinsic::log,
      llvm::Intrinsic::log10, llvm::Intrinsic::log2,  llvm::Intrinsic::modf,   llvm::Intrinsic::pow,
      llvm::Intrinsic::powi,  llvm::Intrinsic::sin,   llvm::Intrinsic::sincos, llvm::Intrinsic::sinh,
      llvm::Intrinsic::tan,   llvm::Intrinsic::tanh};
  return llvm::is_contained(kCalls, id);
}

// Integers of more than 64 bits are added, multiplied and shifted; divided and converted they are calls.
bool cannotEmit(const llvm::Instruction& instruction) {
  const auto isWide = [](const llvm::Type* type) {
    return type->isIntOrIntVectorTy() && type->getScalarSizeInBits() > 64;
  };
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return isMathCall(call->getIntrinsicID());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FRem:
      return true;
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return isWide(instruction.getType());
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      return isWide(instruction.getOperand(0)->getType());
    default:
      return false;
  }
}

VectorRegisters vectorRegisters(std::span<const std::string>) { return {16, 64}; }
const Bf16Rounding* bf16Rounding(std::span<const std::string>) { return nullptr; }

}  // namespace

const CodegenTarget& nvptxTarget() {
  static constexpr CodegenTarget kTarget{.triple = kNvptxTriple,
                                         .plainProcessor = "",
                                         .addToLlvm = addToLlvm,
                                         .beginKernel = beginKernel,
                                         .endKernel = endKernel,
                                         .cannotEmit = cannotEmit,
                                         .addPasses = addPasses,
                                         .emitsText = true,
                                         .scalars = ScalarBuild::Nvptx,
                                         .callsAsHost = false,
                                         .vectorRegisters = vectorRegisters,
                                         .bf16Rounding = bf16Rounding,
                                         .vectorBytes = 16,
                                         .lineBytes = 128,
                                         .firstCacheBytes = 32 << 10,
                                         .threadCacheBytes = 32 << 10,
                                         .allCacheBytes = 4 << 20};
  return kTarget;
}

const CodegenTarget* findNvptxTarget(std::string_view triple) {
  return triple == kNvptxTriple ? &nvptxTarget() : nullptr;
}

}  // namespace hilo
