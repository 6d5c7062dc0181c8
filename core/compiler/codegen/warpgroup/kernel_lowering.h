// A kernel while its operations are lowered, one after the other. A new operation is a function in one of
// lower_*.cpp and a line of lowerings.def.
#pragma once

#include <map>
#include <variant>

#include "core/compiler/codegen/warpgroup/kernel_types.h"
#include "core/compiler/codegen/warpgroup/tensor_copy.h"
#include "core/compiler/codegen/warpgroup/tensor_memory.h"
#include "core/compiler/codegen/warpgroup/transfers.h"

namespace hilo::warpgroup {

using inference::KernelDescription;
using inference::KernelLayouts;
using inference::KernelOp;
using inference::KernelRegion;
using inference::KernelType;
using inference::OpId;
using inference::ValueId;

// An asynchronous copy, and which parameter its tensor map is.
struct PlacedCopy {
  TensorCopy copy;
  size_t parameter = 0;
};
using PlacedCopies = std::map<OpId, PlacedCopy>;

class KernelLowering {
 public:
  // `scratchRoom`: what scratchBytes() gave when the kernel was lowered before, 0 at first.
  KernelLowering(ThreadCode& code, const KernelDescription& kernel, const KernelLayouts& layouts,
                 const LaunchForm& launch, const PlacedCopies& copies, int64_t scratchRoom);

  ThreadCode& code() { return code_; }
  llvm::IRBuilder<>& b() { return code_.b(); }
  ScalarEmitter& scalars() { return code_.scalars(); }
  const KernelDescription& kernel() const { return kernel_; }
  const LaunchForm& launch() const { return launch_; }
  bool usesTensorMemory() const { return usesTensorMemory_; }
  const KernelOp& op(OpId id) const { return kernel_.ops[id]; }

  // Where a value of the kernel lies in registers or shared memory at an operation; of scalars they are
  // arrays without dimensions.
  Result<RegisterLayout> operandLayout(OpId op, size_t index) const;
  Result<RegisterLayout> resultLayout(OpId op, size_t index) const;
  Result<RegisterMap> resultMap(OpId op, size_t index = 0) const;
  Result<inference::SharedTransforms> resultTransforms(OpId op) const;

  // An operand in registers, as the operation wants it laid out.
  Result<RegisterArray> array(OpId op, size_t index);
  Result<llvm::Value*> scalar(OpId op, size_t index);  // a number, index or predicate
  Result<MemoryView> memory(OpId op, size_t index);
  Result<TensorView> tensor(OpId op, size_t index);
  Result<RegisterMap> resultTensorMap(OpId op) const;

  void give(ValueId value, RegisterArray array) { arrays_.insert_or_assign(value, std::move(array)); }
  void give(ValueId value, MemoryView view) { views_.insert_or_assign(value, std::move(view)); }
  void give(ValueId value, TensorView view) { tensors_.insert_or_assign(value, std::move(view)); }
  // A number of the value's type.
  Status giveScalar(ValueId value, llvm::Value* number);

  Result<ElementType> elementOf(const KernelOp& op, ValueId value) const;
  // The same elements by another layout: in place, or through shared memory where threads exchange them.
  Result<RegisterArray> laidOut(const KernelOp& op, RegisterArray array, const RegisterLayout& layout);
  // So many bytes of shared memory of this warpgroup's own; whoever writes there waits for the warpgroup
  // before and after.
  llvm::Value* scratch(int64_t bytes);
  int64_t scratchBytes() const { return scratchBytes_; }  // what a warpgroup needs

  const PlacedCopy& copyOf(OpId op) const { return copies_.at(op); }

  Status lower(const std::vector<OpId>& ops);
  Status lower(const KernelRegion& region) { return lower(region.ops); }

 private:
  Result<RegisterLayout> layoutOf(const KernelOp& op, ValueId value, const inference::ValueSite& site) const;

  ThreadCode& code_;
  const KernelDescription& kernel_;
  const KernelLayouts& layouts_;
  const LaunchForm& launch_;
  const PlacedCopies& copies_;
  const int64_t scratchRoom_;
  const bool usesTensorMemory_;
  std::map<ValueId, RegisterArray> arrays_;
  std::map<ValueId, MemoryView> views_;
  std::map<ValueId, TensorView> tensors_;
  int64_t scratchBytes_ = 0;
};

using OpLowering = Status (*)(KernelLowering& lowering, OpId op);
// Null: nobody lowers it.
OpLowering findLowering(std::string_view opcode);
// The first operation that only GPUs of this generation have; null: there is none.
const KernelOp* firstOfGeneration(const KernelDescription& kernel, int64_t major);
// False: GPUs of another generation have what it wants; `major` 9 is sm_90, 0 any GPU.
bool isLoweredFor(std::string_view opcode, int64_t major);

// "kernel-lowering" where the operation has fewer.
Status needs(const KernelOp& op, size_t operands, size_t results);
// A list of numbers; "kernel-lowering" where there is none.
Result<Sizes> listOf(const KernelOp& op, const std::string& name);
// Each index of lowerings.def's functions.
#define LOWERING(opcode, function) Status function(KernelLowering& lowering, OpId op);
#include "core/compiler/codegen/warpgroup/lowerings.def"
#undef LOWERING

}  // namespace hilo::warpgroup
