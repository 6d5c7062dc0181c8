// Reductions of one array, as their kernels see them: results that stay, and folded elements for each.
#pragma once

#include <optional>

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/gpu/places.h"
#include "core/hlo/ir/module.h"

namespace hilo::gpu {

// Logical dimensions of the array, the slowest varying first, that stay and that are folded.
struct FoldedDimensions {
  Shape array;
  std::vector<int64_t> kept, folded;

  static FoldedDimensions of(const Instruction& reduction);
  friend bool operator==(const FoldedDimensions&, const FoldedDimensions&);

  int64_t keptCount() const { return countOf(kept); }
  int64_t foldedCount() const { return countOf(folded); }
  // The fastest varying dimension of more than one element is folded.
  bool foldsMinor() const;
  // Of the fastest varying dimension of them that has more than one element; 1: there is none.
  int64_t minorSize(const std::vector<int64_t>& dims) const;

  // Places in `dims`, the slowest first, of element `number` of them in memory order.
  Places split(KernelBuilder& k, const std::vector<int64_t>& dims, llvm::Value* number) const;
  // Of the array, from places in both.
  ElementIndex at(KernelBuilder& k, llvm::ArrayRef<llvm::Value*> keptAt,
                  llvm::ArrayRef<llvm::Value*> foldedAt) const;
  // Of a result, by its dimensions.
  ElementIndex resultAt(KernelBuilder& k, llvm::ArrayRef<llvm::Value*> keptAt) const;

 private:
  int64_t countOf(const std::vector<int64_t>& dims) const;
};

// A reduction, or a fusion of reductions of arrays of one shape over the same dimensions, and of what is
// computed of them. Stages follow each other; reductions of one stage do not need each other.
struct ReductionForm {
  FoldedDimensions dimensions;
  std::vector<std::vector<const Instruction*>> stages;
  // Of the results, in order: whether each is an array as the one that is folded, or one of results.
  std::vector<bool> isWhole;

  bool hasWhole() const { return std::ranges::find(isWhole, true) != isWhole.end(); }
};
// nullopt: it is another.
std::optional<ReductionForm> reductionFormOf(const Instruction& instruction);

}  // namespace hilo::gpu
