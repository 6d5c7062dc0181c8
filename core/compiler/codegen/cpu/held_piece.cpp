#include "core/compiler/codegen/cpu/held_piece.h"

#include "core/analysis/saturating.h"
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/choices/dot_chain.h"

namespace hilo {

using llvm::Value;

bool HeldPiece::isInPieces(Shape shape) {
  return shape.rank() > 0 && shape.dimension(static_cast<size_t>(majorToMinor(shape).back())) % kCount == 0;
}

bool HeldPiece::goesPastCaches(const KernelBuilder& kernel, const Instruction& instruction) {
  constexpr int64_t kCaches = 4;
  const Shape shape = instruction.shape();
  if (!canHold(shape.elementType()) || !isInPieces(shape)) return false;
  const int64_t caches = kernel.target().allCacheBytes, written = shape.byteSize();
  int64_t moved = written;
  for (const Instruction* operand : instruction.operands())
    moved = saturatingAdd(moved, operand->shape().byteSize());
  return written >= caches && moved >= kCaches * caches && !dotChainOf(instruction.parent());
}

void HeldPiece::hold(Value* i, const Scalar& x) {
  CHECK(room_ == nullptr);
  const ElementType type = shape_.elementType();
  isUnrounded_ = x.unrounded != nullptr && k_.bf16Rounding() != nullptr;
  held_ = isUnrounded_ ? k_.b().getFloatTy() : k_.scalars().storageType(type);
  room_ = k_.room(held_, kCount);
  Value* element = isUnrounded_ ? x.unrounded : k_.scalars().toStorage(type, x);
  k_.b().CreateStore(element, k_.b().CreateInBoundsGEP(held_, room_, {i}));
}

Value* HeldPiece::vectorAt(int64_t i, int64_t count) {
  return k_.b().CreateLoad(llvm::FixedVectorType::get(held_, static_cast<unsigned>(count)),
                           k_.b().CreateInBoundsGEP(held_, room_, {k_.int64(i)}));
}

void HeldPiece::writeLine(Value* first, int64_t i, Value* line) {
  Value* place = k_.b().CreateAdd(first, k_.int64(i), "", true, true);
  k_.storeRaw(buffer_, k_.scalars().storageType(shape_.elementType()), place, line, past_);
}

void HeldPiece::write(ElementIndex index) {
  Value* first = k_.linearOf(index, shape_);
  if (isUnrounded_) return writeRounded(first);
  const int64_t lanes = k_.target().lineBytes / elementStorageBytes(shape_.elementType());
  for (int64_t i = 0; i < kCount; i += lanes) writeLine(first, i, vectorAt(i, lanes));
}

// By the processor, unless it would round one of them otherwise.
void HeldPiece::writeRounded(Value* first) {
  llvm::IRBuilder<>& b = k_.b();
  const Bf16Rounding& rounding = *k_.bf16Rounding();
  const int64_t lanes = rounding.lanes;
  Value* differs = nullptr;
  for (int64_t i = 0; i < kCount; i += lanes) {
    Value* these = rounding.differs(b, vectorAt(i, lanes));
    differs = differs == nullptr ? these : b.CreateOr(differs, these);
  }
  k_.branch(
      b.CreateNot(b.CreateOrReduce(differs)),
      [&] {
        for (int64_t i = 0; i < kCount; i += 2 * lanes)
          writeLine(first, i, rounding.round(b, vectorAt(i, lanes), vectorAt(i + lanes, lanes)));
      },
      [&] {
        for (int64_t i = 0; i < kCount; i += 2 * lanes)
          writeLine(first, i, k_.scalars().toBf16(vectorAt(i, 2 * lanes)));
      });
}

}  // namespace hilo
