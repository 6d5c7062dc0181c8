// Places in several dimensions from one number that counts them.
#pragma once

#include "core/compiler/codegen/emit/kernel_builder.h"

namespace hilo::gpu {

using Places = llvm::SmallVector<llvm::Value*, 6>;

// The last dimension goes fastest; the number is less than the product of the sizes.
Places placesOf(KernelBuilder& k, llvm::Value* number, llvm::ArrayRef<int64_t> sizes);

// The lines of an array along a dimension: places in the other dimensions, by a line's number in the order of
// memory; null in the dimension itself.
Places lineAt(KernelBuilder& k, Shape shape, size_t along, llvm::Value* number);

}  // namespace hilo::gpu
