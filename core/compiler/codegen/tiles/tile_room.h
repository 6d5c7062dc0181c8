// Elements of a tile in memory: of a type as it is in registers, row by row.
#pragma once

#include <functional>

#include "core/compiler/codegen/emit/kernel_builder.h"

namespace hilo::tiles {

// Makes room for so many, where all that works on a program's tile sees them.
using Allocate = std::function<llvm::Value*(llvm::Type*, int64_t count)>;

class TileRoom {
 public:
  TileRoom(KernelBuilder& kernel, ElementType type, int64_t count, const Allocate& allocate);

  static int64_t bytes(KernelBuilder& kernel, ElementType type, int64_t count);

  ElementType type() const { return type_; }
  Scalar load(llvm::Value* place) const;
  void store(llvm::Value* place, const Scalar& value) const;
  // Where an element, or of a complex one its real part, lies.
  llvm::Value* address(llvm::Value* place) const;

 private:
  static llvm::Type* heldType(KernelBuilder& kernel, ElementType type);

  KernelBuilder* k_;
  ElementType type_;
  llvm::Type* held_;
  llvm::Value *values_, *imaginary_ = nullptr;
};

}  // namespace hilo::tiles
