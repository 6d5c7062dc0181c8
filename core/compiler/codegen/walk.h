// Loops over all indices of an array.
#pragma once

#include "core/compiler/codegen/fetch_ahead.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Runs body at every index in memory order; from and to count what `iterations` says.
struct Walk {
  int64_t iterations;
  std::function<void(KernelBuilder&, llvm::Value* from, llvm::Value* to,
                     const std::function<void(ElementIndex)>&)>
      part;

  // What the kernel is asked to do.
  void run(KernelBuilder& k, const std::function<void(ElementIndex)>& body) const {
    part(k, k.begin(), k.end(), body);
  }
};
// `flat`: the body needs no places in the dimensions.
Walk walkOver(Shape shape, bool flat);
// The same where much is worked out for each element: memory is asked for a few pages ahead, a few lines of
// it at a time. `ahead` outlives it.
Walk walkAskingAhead(Shape shape, bool flat, FetchAhead& ahead);

// Whose elements a kernel stores: the instruction's own, or those of the root of the fusion it is.
inline const Instruction& writtenBy(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion ? *instruction.calledComputations()[0]->root() : instruction;
}

}  // namespace hilo
