// Asynchronous copies by TMA, which one thread of the warpgroup gives.
#include <fmt/format.h>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

Result<std::vector<Value*>> coordinatesOf(KernelLowering& lowering, OpId op, const TensorCopy& copy) {
  llvm::IRBuilder<>& b = lowering.b();
  std::vector<Value*> coordinates;
  for (const TensorCopy::Coordinate& coordinate : copy.coordinates) {
    if (!coordinate.index) {
      coordinates.push_back(b.getInt32(0));
      continue;
    }
    TRY(Value* const index, lowering.scalar(op, copy.firstIndex + *coordinate.index));
    Value* number = b.CreateSExtOrTrunc(index, b.getInt32Ty());
    coordinates.push_back(b.CreateSDiv(number, lowering.code().int32(coordinate.divisor)));
  }
  return coordinates;
}

// "{$2, $3}"
std::string braced(size_t first, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
  return "{" + text + "}";
}

Result<Value*> sharedAddress(KernelLowering& lowering, OpId op, size_t operand) {
  TRY(const MemoryView view, lowering.memory(op, operand));
  const std::vector<Value*> first(view.rank(), lowering.code().int64(0));
  return lowering.b().CreatePtrToInt(addressOf(lowering.code(), view, first), lowering.b().getInt32Ty());
}

void load(ThreadCode& code, Value* map, Value* shared, Value* barrier, const std::vector<Value*>& at) {
  std::vector<Value*> arguments{shared, map};
  arguments.insert(arguments.end(), at.begin(), at.end());
  arguments.push_back(barrier);
  std::string constraints = "r,l";
  for (size_t i = 0; i <= at.size(); ++i) constraints += ",r";
  code.ptx(fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                       "[$0], [$1, {}], [${}];",
                       at.size(), braced(2, at.size()), 2 + at.size()),
           arguments, constraints);
}

void store(ThreadCode& code, Value* map, Value* shared, const std::vector<Value*>& at, bool isCommitted) {
  std::vector<Value*> arguments{shared, map};
  arguments.insert(arguments.end(), at.begin(), at.end());
  std::string constraints = "r,l";
  for (size_t i = 0; i < at.size(); ++i) constraints += ",r";
  code.ptx(fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group [$1, {}], [$0];{}",
                       at.size(), braced(2, at.size()), isCommitted ? " cp.async.bulk.commit_group;" : ""),
           arguments, constraints);
}

}  // namespace

Status lowerTensorCopy(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  const TensorCopy& copy = lowering.copyOf(op).copy;
  TRY(const auto at, coordinatesOf(lowering, op, copy));
  TRY(Value* const shared, sharedAddress(lowering, op, copy.sharedOperand));
  ThreadCode& code = lowering.code();
  llvm::IRBuilder<>& b = lowering.b();
  Value* barrier = nullptr;
  if (copy.isLoad) {
    TRY(barrier, sharedAddress(lowering, op, 2));
  }
  Value* isWanted = b.CreateICmpEQ(code.threadOfGroup(), code.int64(0));
  if (copy.predicate) {
    TRY(Value* const predicate, lowering.scalar(op, *copy.predicate));
    isWanted = b.CreateAnd(isWanted, predicate);
  }
  code.warpgroupBarrier();
  Value* map = b.CreatePtrToInt(code.parameter(lowering.copyOf(op).parameter), b.getInt64Ty());
  const auto* committed = one.attribute<int64_t>("commit_group");
  code.branch(isWanted, [&] {
    if (copy.isLoad)
      load(code, map, shared, barrier, at);
    else
      store(code, map, shared, at, !committed || *committed != 0);
  });
  return {};
}

}  // namespace hilo::warpgroup
