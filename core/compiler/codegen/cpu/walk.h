// Loops over all indices of an array.
#pragma once

#include "core/compiler/codegen/cpu/fetch_ahead.h"
#include "core/compiler/codegen/cpu/held_piece.h"
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
// The same where much is computed for each element, in pieces of a few vectors, which are worked on
// together where every piece is whole: memory is asked for a few pages ahead, if `ahead` finds it worth it.
// `ahead` outlives it.
// `writePiece` writes a whole piece of `count` elements, whose index it gets of each; without it that is a
// loop over them.
using WritePiece = std::function<void(int64_t count, const std::function<ElementIndex(llvm::Value*)>& at)>;
Walk walkInPieces(Shape shape, bool flat, FetchAhead& ahead, const WritePiece& writePiece = {});

// Whose elements a kernel stores: the instruction's own, or those of the root of the fusion it is.
inline const Instruction& writtenBy(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion ? *instruction.calledComputations()[0]->root() : instruction;
}

}  // namespace hilo
