// LLVM IR of one thread of a kernel while it is written. All threads of a warpgroup come to what it does
// together: barriers, instructions of warpgroups.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>

#include "core/compiler/codegen/emit/scalar.h"
#include "core/compiler/codegen/warpgroup/warpgroup_kernel.h"

namespace hilo::warpgroup {

class ThreadCode {
 public:
  // A module with the entry of these parameters.
  ThreadCode(llvm::LLVMContext& context, const WarpgroupKernel& kernel);

  llvm::IRBuilder<>& b() { return b_; }
  ScalarEmitter& scalars() { return scalars_; }
  llvm::Value* int32(int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value* int64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  llvm::Value* parameter(size_t i) { return entry_->getArg(static_cast<unsigned>(i)); }
  // The first byte of the block's shared memory, which lies at a multiple of 1024.
  llvm::Value* shared() { return shared_; }

  // All i64: the number of the thread in its block and in its warpgroup; of the warp in its warpgroup; of
  // the lane.
  llvm::Value* thread() const { return thread_; }
  llvm::Value* threadOfGroup() const { return threadOfGroup_; }
  llvm::Value* warp() const { return warp_; }
  llvm::Value* lane() const { return lane_; }
  // A special register as i64.
  llvm::Value* special(const std::string& name);

  // Inline PTX, with LLVM's constraints; it is done, in this place, by all threads that come here.
  llvm::Value* ptx(const std::string& text, const std::string& constraints, llvm::Type* result,
                   llvm::ArrayRef<llvm::Value*> arguments);
  void ptx(const std::string& text, llvm::ArrayRef<llvm::Value*> arguments = {},
           const std::string& constraints = "");

  // Until all threads of the warpgroup are here, and see what the others wrote.
  void warpgroupBarrier();
  // What only the first thread of each warpgroup does.
  void once(const std::function<void()>& body);

  void branch(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no = {});
  // while (condition()) body()
  void loop(const std::function<llvm::Value*()>& condition, const std::function<void()>& body);
  // A place of the thread's own, which the optimiser makes a register.
  llvm::Value* variable(llvm::Type* type);

  // Ends the entry. Nothing is written afterwards.
  std::unique_ptr<llvm::Module> finish();

 private:
  std::unique_ptr<llvm::Module> module_;
  llvm::Function* entry_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalars_;
  llvm::Value *shared_, *thread_, *threadOfGroup_, *warp_, *lane_;
};

}  // namespace hilo::warpgroup
