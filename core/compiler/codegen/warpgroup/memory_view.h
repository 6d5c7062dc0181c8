// An array in global or shared memory, or a part of one, as an address for each index.
#pragma once

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"
#include "core/compiler/codegen/warpgroup/thread_code.h"

namespace hilo::warpgroup {

struct MemoryView {
  ElementType element = ElementType::F32;
  int64_t elementBytes = 4;
  // Of each dimension the pieces it was cut into, strides in elements.
  std::vector<inference::NestedDimension> dimensions;
  int64_t swizzleBytes = 16;  // 16: none
  llvm::Value* base = nullptr;
  llvm::Value* offset = nullptr;  // i64, in elements from `base`
  int64_t alignment = 1;          // divides it, in elements, and base lies at as many

  Sizes shape() const;
  size_t rank() const { return dimensions.size(); }
};

// Dimensions in one piece each.
std::vector<inference::NestedDimension> dimensionsOf(const Sizes& shape, const Sizes& strides);

// Elements before the one at the index: i64, one value a dimension.
llvm::Value* elementsBefore(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<llvm::Value*> index);
llvm::Value* addressOf(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<llvm::Value*> index);

// As many elements from the index on along the last dimension as one access may have: a power of two, at most
// `most`, when the index's last place is a multiple of `most`.
int64_t vectorAt(const MemoryView& view, int64_t most);
std::vector<Scalar> load(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<llvm::Value*> index,
                         int64_t count);
void store(ThreadCode& code, const MemoryView& view, llvm::ArrayRef<llvm::Value*> index,
           llvm::ArrayRef<Scalar> values);

}  // namespace hilo::warpgroup
