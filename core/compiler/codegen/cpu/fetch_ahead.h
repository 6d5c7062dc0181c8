// Memory asked for before it is needed. A processor does so by itself where it reads on and on; where much is
// computed in between it falls behind, and the work waits for memory after memory waited for the work.
#pragma once

#include "core/compiler/codegen/emit/element_emitter.h"

namespace hilo {

class FetchAhead {
 public:
  // For a kernel that goes over arrays that lie as `shape` does, or are broadcast to it, element by element
  // in memory order. Does nothing where all of them fit a cache of `nearBytes`.
  FetchAhead(KernelBuilder& kernel, const ElementEmitter& elements, Shape shape, int64_t nearBytes);

  bool isWorthIt() const { return !leaves_.empty(); }
  // Asks for `count` elements of each array from place `from` in memory order on, when `distance` elements of
  // each come to be read before them. Past the end asking does no harm, and where that is stays out of the
  // kernel, so that one serves arrays of many sizes.
  void ask(llvm::Value* from, int64_t count, int64_t distance);

 private:
  // Not as large as the arrays, but read over and over.
  bool isRepeated(const ElementEmitter::Leaf& leaf) const {
    return leaf.shape.elementCount() != elementCount_;
  }

  KernelBuilder& k_;
  int64_t elementCount_;  // of each
  std::vector<ElementEmitter::Leaf> leaves_;
};

}  // namespace hilo
