// Maps of indices (analysis/indexing) as code: where the elements lie that an element is made of.
#pragma once

#include "core/analysis/indexing/indexing_map.h"
#include "core/compiler/codegen/emit/kernel_builder.h"

namespace hilo {

class IndexEmitter {
 public:
  // `values`: one a variable of the map, each within its range. A null one may not be needed.
  IndexEmitter(KernelBuilder& kernel, IndexingMap map, llvm::SmallVector<llvm::Value*, 6> values);

  // Where the map leads; means nothing where it is not defined.
  ElementIndex place();
  // Whether it is defined: a pred; true where that is certain.
  llvm::Value* isDefined();

  static llvm::Value* emit(KernelBuilder& kernel, const AffineExpression& expression,
                           llvm::ArrayRef<llvm::Value*> values, std::span<const IndexRange> ranges);

 private:
  KernelBuilder& k_;
  IndexingMap map_;
  llvm::SmallVector<llvm::Value*, 6> values_;
  std::vector<IndexRange> ranges_;
};

}  // namespace hilo
