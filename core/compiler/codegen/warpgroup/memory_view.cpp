#include "core/compiler/codegen/warpgroup/memory_view.h"

#include <numeric>

namespace hilo::warpgroup {

using inference::NestedDimension;
using inference::StridedSize;
using llvm::Value;

namespace {

constexpr int64_t kMostBytes = 16;  // of an access, and of what a swizzle exchanges
constexpr int64_t kRowBytes = 128;  // whose number tells where the pieces go

// Chunks of 16 bytes by the number of their row, modulo the chunks of the swizzle.
Value* swizzled(ThreadCode& code, Value* byte, int64_t swizzleBytes) {
  if (swizzleBytes <= kMostBytes) return byte;
  Value* row = code.b().CreateUDiv(byte, code.int64(kRowBytes / kMostBytes));
  return code.b().CreateXor(byte, code.b().CreateAnd(row, code.int64(swizzleBytes - kMostBytes)));
}

Value* placeIn(ThreadCode& code, const NestedDimension& dimension, Value* index) {
  Value* place = nullptr;
  for (size_t i = dimension.size(); i-- > 0;) {
    const auto [size, stride] = dimension[i];
    Value* digit = i == 0 ? index : code.b().CreateURem(index, code.int64(size));
    Value* part = code.b().CreateMul(digit, code.int64(stride));
    place = place ? code.b().CreateAdd(place, part) : part;
    if (i != 0) index = code.b().CreateUDiv(index, code.int64(size));
  }
  return place;
}

int64_t sizeOf(const NestedDimension& dimension) {
  int64_t size = 1;
  for (const StridedSize& piece : dimension) size *= piece.size;
  return size;
}

}  // namespace

Sizes MemoryView::shape() const {
  Sizes shape;
  for (const NestedDimension& dimension : dimensions) shape.push_back(sizeOf(dimension));
  return shape;
}

std::vector<NestedDimension> dimensionsOf(const Sizes& shape, const Sizes& strides) {
  std::vector<NestedDimension> dimensions;
  for (size_t i = 0; i < shape.size(); ++i) dimensions.push_back({{shape[i], strides[i]}});
  return dimensions;
}

Value* elementsBefore(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<Value*> index) {
  Value* place = view.offset;
  for (size_t i = 0; i < view.rank(); ++i)
    place = code.b().CreateAdd(place, placeIn(code, view.dimensions[i], index[i]));
  return place;
}

Value* addressOf(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<Value*> index) {
  Value* byte = code.b().CreateMul(elementsBefore(code, view, index), code.int64(view.elementBytes));
  return code.b().CreatePtrAdd(view.base, swizzled(code, byte, view.swizzleBytes));
}

int64_t vectorAt(const MemoryView& view, int64_t most) {
  if (view.dimensions.empty()) return 1;
  const StridedSize& inner = view.dimensions.back().back();
  if (inner.stride != 1) return 1;
  int64_t common = std::gcd(most, view.alignment);
  for (const NestedDimension& dimension : view.dimensions)
    for (const StridedSize& piece : dimension)
      common = std::gcd(common, &piece == &inner ? piece.size : piece.size == 1 ? 0 : piece.stride);
  common = std::gcd(common, kMostBytes / view.elementBytes);
  return common & -common;
}

std::vector<Scalar> load(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<Value*> index,
                         int64_t count) {
  llvm::IRBuilder<>& b = code.b();
  llvm::Type* type = code.scalars().storageType(view.element);
  const llvm::Align alignment(static_cast<uint64_t>(count * view.elementBytes));
  llvm::Type* whole = count == 1 ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(count));
  Value* loaded = b.CreateAlignedLoad(whole, addressOf(code, view, index), alignment);
  std::vector<Scalar> values;
  for (int64_t i = 0; i < count; ++i) {
    Value* one = count == 1 ? loaded : b.CreateExtractElement(loaded, static_cast<uint64_t>(i));
    values.push_back(code.scalars().fromStorage(view.element, one));
  }
  return values;
}

void store(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<Value*> index,
           llvm::ArrayRef<Scalar> values) {
  llvm::IRBuilder<>& b = code.b();
  llvm::Type* type = code.scalars().storageType(view.element);
  const auto count = static_cast<unsigned>(values.size());
  const llvm::Align alignment(static_cast<uint64_t>(count * view.elementBytes));
  Value* whole = count == 1 ? nullptr : llvm::PoisonValue::get(llvm::FixedVectorType::get(type, count));
  for (unsigned i = 0; i < count; ++i) {
    Value* one = code.scalars().toStorage(view.element, values[i]);
    whole = whole ? b.CreateInsertElement(whole, one, uint64_t{i}) : one;
  }
  b.CreateAlignedStore(whole, addressOf(code, view, index), alignment);
}

}  // namespace hilo::warpgroup
