#include "core/compiler/codegen/warpgroup/thread_code.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace hilo::warpgroup {

using llvm::Value;

namespace {

constexpr unsigned kGlobal = 1, kShared = 3;  // LLVM's numbers of address spaces
constexpr uint64_t kSharedAlignment = 1024;   // of a swizzle's pattern
constexpr uint64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

std::string text(const Extents& extents) {
  return fmt::format("{},{},{}", extents[0], extents[1], extents[2]);
}

llvm::Function* makeEntry(llvm::Module& module, const WarpgroupKernel& kernel) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types;
  for (const KernelParameter& parameter : kernel.parameters)
    types.push_back(llvm::PointerType::get(context, parameter.box ? 0 : kGlobal));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kEntry, module);
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  entry->addFnAttr("nvvm.reqntid", text(kernel.block));
  if (kernel.cluster != Extents{1, 1, 1}) entry->addFnAttr("nvvm.cluster_dim", text(kernel.cluster));
  auto* map = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), kTensorMapBytes);
  for (unsigned i = 0; i < types.size(); ++i) {
    const bool isMap = kernel.parameters[i].box.has_value();
    entry->addParamAttr(
        i, llvm::Attribute::getWithAlignment(context, llvm::Align(isMap ? kTensorMapAlignment : 16)));
    if (!isMap) continue;
    entry->addParamAttr(i, llvm::Attribute::getWithByValType(context, map));
    entry->addParamAttr(i, llvm::Attribute::get(context, "nvvm.grid_constant"));
  }
  return entry;
}

Value* makeShared(llvm::Module& module) {
  auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* shared = new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                          "shared", nullptr, llvm::GlobalValue::NotThreadLocal, kShared);
  shared->setAlignment(llvm::Align(kSharedAlignment));
  return shared;
}

}  // namespace

ThreadCode::ThreadCode(llvm::LLVMContext& context, const WarpgroupKernel& kernel)
    : module_(std::make_unique<llvm::Module>("kernel", context)),
      entry_(makeEntry(*module_, kernel)),
      b_(llvm::BasicBlock::Create(context, "entry", entry_)),
      scalars_(b_),
      shared_(makeShared(*module_)) {
  // Allocations stand before all code.
  auto* body = llvm::BasicBlock::Create(context, "body", entry_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  const auto [x, y, z] = kernel.block;
  thread_ = b_.CreateZExt(b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}), b_.getInt64Ty());
  if (y * z > 1) {
    Value* row = b_.CreateAdd(special("tid.y"), b_.CreateMul(special("tid.z"), int64(y)));
    thread_ = b_.CreateAdd(thread_, b_.CreateMul(row, int64(x)));
  }
  threadOfGroup_ = b_.CreateURem(thread_, int64(kThreadsOfWarpgroup));
  warp_ = b_.CreateUDiv(threadOfGroup_, int64(kLanesOfWarp));
  lane_ = b_.CreateURem(threadOfGroup_, int64(kLanesOfWarp));
}

Value* ThreadCode::special(const std::string& name) {
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), false);
  auto* read = llvm::InlineAsm::get(type, fmt::format("mov.u32 $0, %{};", name), "=r", false);
  return b_.CreateZExt(b_.CreateCall(read), b_.getInt64Ty());
}

Value* ThreadCode::ptx(const std::string& text, const std::string& constraints, llvm::Type* result,
                       llvm::ArrayRef<Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  const std::string all = constraints + (constraints.empty() ? "~{memory}" : ",~{memory}");
  auto* call = b_.CreateCall(llvm::InlineAsm::get(type, text, all, /*hasSideEffects=*/true), arguments);
  call->setConvergent();
  return call;
}

void ThreadCode::ptx(const std::string& text, llvm::ArrayRef<Value*> arguments,
                     const std::string& constraints) {
  ptx(text, constraints, b_.getVoidTy(), arguments);
}

// Barrier 0 is that of the block.
void ThreadCode::warpgroupBarrier() {
  Value* number = b_.CreateAdd(b_.CreateUDiv(thread_, int64(kThreadsOfWarpgroup)), int64(1));
  ptx(fmt::format("bar.sync $0, {};", kThreadsOfWarpgroup), {b_.CreateTrunc(number, b_.getInt32Ty())}, "r");
}

void ThreadCode::once(const std::function<void()>& body) {
  branch(b_.CreateICmpEQ(threadOfGroup_, int64(0)), body);
}

void ThreadCode::branch(Value* condition, const std::function<void()>& yes, const std::function<void()>& no) {
  llvm::LLVMContext& context = b_.getContext();
  auto* then = llvm::BasicBlock::Create(context, "then", entry_);
  auto* otherwise = no ? llvm::BasicBlock::Create(context, "else", entry_) : nullptr;
  auto* after = llvm::BasicBlock::Create(context, "after", entry_);
  b_.CreateCondBr(condition, then, no ? otherwise : after);
  b_.SetInsertPoint(then);
  yes();
  b_.CreateBr(after);
  if (no) {
    b_.SetInsertPoint(otherwise);
    no();
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void ThreadCode::loop(const std::function<Value*()>& condition, const std::function<void()>& body) {
  llvm::LLVMContext& context = b_.getContext();
  auto* head = llvm::BasicBlock::Create(context, "head", entry_);
  auto* inside = llvm::BasicBlock::Create(context, "loop", entry_);
  auto* after = llvm::BasicBlock::Create(context, "after", entry_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* goesOn = condition();
  b_.CreateCondBr(goesOn, inside, after);
  b_.SetInsertPoint(inside);
  body();
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
}

Value* ThreadCode::variable(llvm::Type* type) {
  llvm::BasicBlock& first = entry_->getEntryBlock();
  return llvm::IRBuilder<>(&first, first.begin()).CreateAlloca(type);
}

std::unique_ptr<llvm::Module> ThreadCode::finish() {
  b_.CreateRetVoid();
  return std::move(module_);
}

}  // namespace hilo::warpgroup
