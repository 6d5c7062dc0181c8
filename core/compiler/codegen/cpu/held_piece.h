// Elements of a result that are held back, in registers as they are few, until they are whole lines of
// memory: to round them to bf16 many at once, and to write them past the caches.
#pragma once

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/hlo/ir/module.h"

namespace hilo {

class HeldPiece {
 public:
  // How many elements a piece has.
  static constexpr int64_t kCount = 64;
  // Whether elements of the type are whole bytes, as they must be.
  static bool canHold(ElementType type) { return elementBits(type) >= 8 && !isComplex(type); }
  // Whether every line is whole pieces, so that a flat walk's iterations go evenly into rows too: what makes
  // one thunk of dots and the rows between them counts on it.
  static bool isInPieces(Shape shape);
  // Whether the result, an array, is so large together with what it is made of that nothing is lost by
  // keeping no line of it in a cache, even if all of it is read next (measured: from 32 MiB on, 8 of them
  // its own). That they are not read before they are written is gained. Rows between two dots are few
  // at a time.
  static bool goesPastCaches(const KernelBuilder& kernel, const Instruction& instruction);

  // Of the array in `buffer`, which it goes to past the caches or not.
  HeldPiece(KernelBuilder& kernel, int buffer, Shape shape, bool past)
      : k_(kernel), buffer_(buffer), shape_(shape), past_(past) {}

  // Element i of the piece; said once, in a loop over all.
  void hold(llvm::Value* i, const Scalar& x);
  // All of them, which lie one after the other from this one on.
  void write(ElementIndex first);

 private:
  llvm::Value* vectorAt(int64_t i, int64_t count);
  void writeLine(llvm::Value* first, int64_t i, llvm::Value* line);
  void writeRounded(llvm::Value* first);

  KernelBuilder& k_;
  int buffer_;
  Shape shape_;
  bool past_;
  llvm::Value* room_ = nullptr;
  llvm::Type* held_ = nullptr;  // what an element is while it is held
  bool isUnrounded_ = false;
};

}  // namespace hilo
