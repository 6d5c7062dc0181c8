// Tensor memory of sm_100: taken and freed by the first warp of the block, moved to and from registers by all
// warps of a warpgroup. Moves are waited for where they are: LLVM does not know that registers are still
// written after a load. Source: PTX ISA 9.0, chapter "TensorCore 5th Generation Family Instructions".
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;
namespace intrinsics = llvm::Intrinsic;

namespace {

void emit(KernelLowering& lowering, intrinsics::ID id, llvm::ArrayRef<Value*> arguments = {}) {
  lowering.b().CreateIntrinsic(id, {}, arguments);
}

// What only the first warp of the block does, all its lanes together.
void byFirstWarp(KernelLowering& lowering, const std::function<void()>& body) {
  lowering.code().branch(
      lowering.b().CreateICmpULT(lowering.code().thread(), lowering.code().int64(kLanesOfWarp)), body);
}

// Until all threads of the warpgroup are here, and what they did in tensor memory comes before what follows.
void meet(KernelLowering& lowering) {
  emit(lowering, intrinsics::nvvm_tcgen05_fence_before_thread_sync);
  lowering.code().warpgroupBarrier();
  emit(lowering, intrinsics::nvvm_tcgen05_fence_after_thread_sync);
}

intrinsics::ID idOf(const char* direction, const TensorPiece& piece) {
  return intrinsics::lookupIntrinsicID(
      fmt::format("llvm.nvvm.tcgen05.{}.{}.x{}", direction, piece.shape, piece.times));
}

// Where this warp's lanes of a piece are.
Value* placeOf(KernelLowering& lowering, const TensorView& view, const TensorPiece& piece) {
  ThreadCode& code = lowering.code();
  Value* lanes = lowering.b().CreateShl(code.warp(), code.int64(16 + 5));
  Value* address =
      lowering.b().CreateAdd(view.address, lowering.b().CreateTrunc(lanes, lowering.b().getInt32Ty()));
  return tensorPointer(code, address, piece.lane, piece.column);
}

// The words that a load gave, not touched before the load is over.
std::vector<Value*> writtenWords(KernelLowering& lowering, const std::vector<Value*>& words) {
  llvm::IRBuilder<>& b = lowering.b();
  std::string constraints;
  for (size_t i = 0; i < words.size(); ++i) constraints += i == 0 ? "=r" : ",=r";
  for (size_t i = 0; i < words.size(); ++i) constraints += fmt::format(",{}", i);
  const std::vector<llvm::Type*> types(words.size(), b.getInt32Ty());
  llvm::Type* result = words.size() == 1 ? types[0] : llvm::StructType::get(b.getContext(), types);
  Value* all = lowering.code().ptx("", constraints, result, words);
  if (words.size() == 1) return {all};
  std::vector<Value*> written;
  for (unsigned i = 0; i < words.size(); ++i) written.push_back(b.CreateExtractValue(all, i));
  return written;
}

std::vector<Value*> load(KernelLowering& lowering, const TensorView& view, const TensorPiece& piece) {
  llvm::IRBuilder<>& b = lowering.b();
  Value* loaded =
      b.CreateIntrinsic(idOf("ld", piece), {}, {placeOf(lowering, view, piece), b.getInt1(piece.isPacked)});
  if (piece.registers.size() == 1) return {loaded};
  std::vector<Value*> words;
  for (uint64_t i = 0; i < piece.registers.size(); ++i) words.push_back(b.CreateExtractElement(loaded, i));
  return words;
}

Scalar elementIn(KernelLowering& lowering, const TensorView& view, Value* word, size_t place) {
  llvm::IRBuilder<>& b = lowering.b();
  Value* shifted = b.CreateLShr(word, static_cast<uint64_t>(view.elementBits) * place);
  Value* bits = b.CreateTrunc(shifted, b.getIntNTy(static_cast<unsigned>(view.elementBits)));
  Value* stored = b.CreateBitCast(bits, lowering.scalars().storageType(view.element));
  return lowering.scalars().fromStorage(view.element, stored);
}

Value* wordOf(KernelLowering& lowering, const TensorView& view, const RegisterArray& array,
              const std::vector<size_t>& elements) {
  llvm::IRBuilder<>& b = lowering.b();
  Value* word = b.getInt32(0);
  for (size_t i = 0; i < elements.size(); ++i) {
    Value* stored = lowering.scalars().toStorage(view.element, array.elements[elements[i]]);
    Value* bits = b.CreateBitCast(stored, b.getIntNTy(static_cast<unsigned>(view.elementBits)));
    Value* wide = b.CreateZExt(bits, b.getInt32Ty());
    word = b.CreateOr(word, b.CreateShl(wide, static_cast<uint64_t>(view.elementBits) * i));
  }
  return word;
}

Result<std::vector<TensorPiece>> piecesOf(const KernelOp& op, const TensorView& view,
                                          const RegisterMap& map) {
  if (view.map.shape() != map.shape()) return refuse(op, "tensor memory of another shape than its array");
  if (auto pieces = tensorPieces(view, map)) return *std::move(pieces);
  return refuse(op, "no tcgen05.ld or tcgen05.st moves an array between these layouts");
}

Result<TensorView> resultView(KernelLowering& lowering, OpId op, Value* address) {
  const KernelOp& one = lowering.op(op);
  const KernelType& type = lowering.kernel().type(one.results[0]);
  TRY(const ElementType element, lowering.elementOf(one, one.results[0]));
  const auto bytes = elementBytesOf(type);
  if (!bytes || *bytes > 4) return refuse(one, fmt::format("elements of {}", type.element));
  TRY(RegisterMap map, lowering.resultTensorMap(op));
  return TensorView{element, 8 * *bytes, std::move(map), address};
}

}  // namespace

// The address comes by way of shared memory, to all threads of the block.
Status lowerTensorAlloc(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 1, 1));
  TRY(const MemoryView place, lowering.memory(op, 0));
  llvm::IRBuilder<>& b = lowering.b();
  const std::vector<Value*> first(place.rank(), lowering.code().int64(0));
  Value* pointer = addressOf(lowering.code(), place, first);
  TRY(TensorView view, resultView(lowering, op, nullptr));
  byFirstWarp(lowering, [&] {
    emit(lowering, intrinsics::nvvm_tcgen05_alloc_shared_cg1,
         {pointer, lowering.code().int32(allocatedColumns(view.columns()))});
  });
  lowering.code().ptx("bar.sync 0;");
  view.address = b.CreateAlignedLoad(b.getInt32Ty(), pointer, llvm::Align(4));
  lowering.give(lowering.op(op).results[0], std::move(view));
  return {};
}

Status lowerTensorRelinquish(KernelLowering& lowering, OpId) {
  byFirstWarp(lowering, [&] { emit(lowering, intrinsics::nvvm_tcgen05_relinq_alloc_permit_cg1); });
  return {};
}

Status lowerTensorDealloc(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 1, 0));
  TRY(const TensorView view, lowering.tensor(op, 0));
  meet(lowering);
  byFirstWarp(lowering, [&] {
    emit(lowering, intrinsics::nvvm_tcgen05_dealloc_cg1,
         {tensorPointer(lowering.code(), view.address, 0, 0),
          lowering.code().int32(allocatedColumns(view.columns()))});
  });
  return {};
}

Status lowerTensorSlice(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const TensorView whole, lowering.tensor(op, 0));
  const auto* offset = one.attribute<int64_t>("offset");
  if (!offset || *offset < 0) return refuse(one, "it has no offset");
  Value* address = lowering.b().CreateAdd(whole.address, lowering.code().int32(*offset));
  TRY(TensorView view, resultView(lowering, op, address));
  if (*offset + view.columns() > whole.columns())
    return refuse(one,
                  fmt::format("columns {} to {} of {}", *offset, *offset + view.columns(), whole.columns()));
  lowering.give(one.results[0], std::move(view));
  return {};
}

Status lowerSameTensor(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 1, 1));
  TRY(TensorView view, lowering.tensor(op, 0));
  lowering.give(lowering.op(op).results[0], std::move(view));
  return {};
}

Status lowerTensorLoad(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  if (one.results.size() != 1 || one.attributes.contains("reduce"))
    return refuse(one, "loads that reduce along the columns");
  TRY(const TensorView view, lowering.tensor(op, 0));
  TRY(RegisterMap map, lowering.resultMap(op));
  TRY(const auto pieces, piecesOf(one, view, map));
  std::vector<Value*> words;
  for (const TensorPiece& piece : pieces) {
    const auto loaded = load(lowering, view, piece);
    words.insert(words.end(), loaded.begin(), loaded.end());
  }
  emit(lowering, intrinsics::nvvm_tcgen05_wait_ld);
  words = writtenWords(lowering, words);
  RegisterArray array{view.element, std::move(map), {}};
  array.elements.resize(elementsOf(array.map));
  size_t next = 0;
  for (const TensorPiece& piece : pieces)
    for (const auto& elements : piece.registers) {
      for (size_t i = 0; i < elements.size(); ++i)
        array.elements[elements[i]] = elementIn(lowering, view, words[next], i);
      ++next;
    }
  lowering.give(one.results[0], std::move(array));
  return {};
}

Status lowerTensorStore(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 2, 0));
  TRY(const RegisterArray array, lowering.array(op, 0));
  TRY(const TensorView view, lowering.tensor(op, 1));
  TRY(const auto pieces, piecesOf(one, view, array.map));
  llvm::IRBuilder<>& b = lowering.b();
  for (const TensorPiece& piece : pieces) {
    std::vector<Value*> words;
    for (const auto& elements : piece.registers) words.push_back(wordOf(lowering, view, array, elements));
    Value* all = words[0];
    if (words.size() > 1) {
      all = llvm::PoisonValue::get(
          llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(words.size())));
      for (uint64_t i = 0; i < words.size(); ++i) all = b.CreateInsertElement(all, words[i], i);
    }
    emit(lowering, idOf("st", piece), {placeOf(lowering, view, piece), all, b.getInt1(piece.isPacked)});
  }
  emit(lowering, intrinsics::nvvm_tcgen05_wait_st);
  meet(lowering);
  return {};
}

// Both kinds of moves are waited for where they are; what is asked for is done all the same.
Status lowerTensorWait(KernelLowering& lowering, OpId op) {
  const auto* kind = lowering.op(op).attribute<std::string>("kind");
  if (!kind || (*kind != "load" && *kind != "store"))
    return refuse(lowering.op(op), "its kind is load or store");
  emit(lowering, *kind == "load" ? intrinsics::nvvm_tcgen05_wait_ld : intrinsics::nvvm_tcgen05_wait_st);
  return {};
}

Status lowerTensorFence(KernelLowering& lowering, OpId op) {
  const auto* kind = lowering.op(op).attribute<std::string>("kind");
  if (!kind || (*kind != "before" && *kind != "after"))
    return refuse(lowering.op(op), "its kind is before or after");
  emit(lowering, *kind == "before" ? intrinsics::nvvm_tcgen05_fence_before_thread_sync
                                   : intrinsics::nvvm_tcgen05_fence_after_thread_sync);
  return {};
}

}  // namespace hilo::warpgroup
