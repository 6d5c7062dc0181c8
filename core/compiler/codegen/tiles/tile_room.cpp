#include "core/compiler/codegen/tiles/tile_room.h"

namespace hilo::tiles {

using llvm::Value;

// Bits and nibbles take a byte.
llvm::Type* TileRoom::heldType(KernelBuilder& kernel, ElementType type) {
  llvm::Type* held = kernel.scalars().zero(type).value->getType();
  return held->isIntegerTy() && held->getIntegerBitWidth() < 8 ? kernel.b().getInt8Ty() : held;
}

int64_t TileRoom::bytes(KernelBuilder& kernel, ElementType type, int64_t count) {
  return count * heldType(kernel, type)->getScalarSizeInBits() / 8 * (isComplex(type) ? 2 : 1);
}

TileRoom::TileRoom(KernelBuilder& kernel, ElementType type, int64_t count, const Allocate& allocate)
    : k_(&kernel), type_(type), held_(heldType(kernel, type)), values_(allocate(held_, count)) {
  if (isComplex(type)) imaginary_ = allocate(held_, count);
}

Value* TileRoom::address(Value* place) const { return k_->b().CreateInBoundsGEP(held_, values_, {place}); }

Scalar TileRoom::load(Value* place) const {
  llvm::IRBuilder<>& b = k_->b();
  Value* value = b.CreateLoad(held_, address(place));
  llvm::Type* type = k_->scalars().valueType(type_);
  if (type != held_) value = b.CreateTrunc(value, type);
  if (imaginary_ == nullptr) return {value};
  return {value, b.CreateLoad(held_, b.CreateInBoundsGEP(held_, imaginary_, {place}))};
}

void TileRoom::store(Value* place, const Scalar& value) const {
  llvm::IRBuilder<>& b = k_->b();
  Value* stored = value.value->getType() == held_ ? value.value : b.CreateZExt(value.value, held_);
  b.CreateStore(stored, address(place));
  if (imaginary_ != nullptr) b.CreateStore(value.imaginary, b.CreateInBoundsGEP(held_, imaginary_, {place}));
}

}  // namespace hilo::tiles
