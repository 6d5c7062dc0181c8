// A reduction over the minor dimension, whose elements lie side by side in memory, written in vectors:
// several partial results side by side, combined at the end. A line is the elements of one result.
#pragma once

#include "core/compiler/codegen/emit/kernel_builder.h"

namespace hilo {

class MinorFold {
 public:
  // The operation may be applied in any order, and elements of the type are whole bytes.
  static bool canFold(Opcode opcode, ElementType type);

  // From `start` on, a value of the type.
  MinorFold(KernelBuilder& kernel, Opcode opcode, ElementType type, Scalar start);

  // Folds in `length` elements from `line` on, as values (scalar.h): f32 of narrower floats. Sums of f32 are
  // added eight at a time in f32, these in f64: off by 3 * 2^-24 of the sum of magnitudes at most.
  void add(llvm::Value* line, int64_t length);
  // The same with as many folds, or the same one several times, each from its own line, side by side.
  static void addTogether(llvm::ArrayRef<MinorFold*> folds, llvm::ArrayRef<llvm::Value*> lines,
                          int64_t length);
  // How many elements are folded at once.
  int64_t chunk() const { return static_cast<int64_t>(isSumInPairs_ ? 8 : 4) * lanes_; }
  // Start and all.
  Scalar result();
  // What was folded in, to be put to more of the same: sums of floats in f64 and without the start, sums of
  // integers without it too; of other operations the start does no harm a second time.
  Scalar folded();
  // An element that changes nothing.
  llvm::Value* neutral() const { return neutral_; }

 private:
  using Vectors = llvm::SmallVector<llvm::Value*, 8>;
  Vectors load(llvm::Value* line, int64_t length);
  void fold(Vectors vectors);
  void foldInto(size_t part, llvm::Value* vector);
  llvm::Value* combine(llvm::Value* a, llvm::Value* b);
  void noteNans(const Vectors& vectors);
  llvm::Value* half(llvm::Value* vector, bool upper);

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Opcode opcode_;
  ElementType type_;  // what is computed in
  ElementType resultType_;
  Scalar start_;
  bool isFloatSum_;
  bool isSumInPairs_;    // of f32
  bool isFloatExtreme_;  // the largest or smallest, by one comparison an element; NaNs are noted in `nans_`
  llvm::Type* element_;
  unsigned lanes_;  // of a vector of elements
  llvm::Value* neutral_;
  llvm::SmallVector<KernelBuilder::Variable, 4> parts_;
  KernelBuilder::Variable nans_;  // a bit a lane
};

}  // namespace hilo
