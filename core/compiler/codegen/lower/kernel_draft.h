// A kernel being written for one instruction: which buffers it has and what its element emitter may read.
#pragma once

#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

class KernelDraft {
 public:
  // `results` are written; an operand that lies in one of them is read from there. `tables` are read besides
  // the operands: buffers 0, 1, ...
  KernelDraft(LoweringContext& context, const Instruction& instruction, LeafValues results,
              const LeafValues& tables = {});

  KernelBuilder& builder() { return builder_; }
  ElementEmitter& elements() { return elements_; }
  int resultBuffer(size_t i) const { return static_cast<int>(arguments_.size() + i); }
  // The buffer of a leaf, if the kernel reads it.
  const LeafValues& results() const { return results_; }

  // Ends the kernel and adds its thunk.
  Status finish(int64_t iterations, int64_t costNs);

 private:
  struct Found {
    const Instruction* instruction;
    Shape shape;
    BufferSlice slice;
  };
  void findOperands();
  void findInside(const Computation& fused, std::vector<Found>& found);
  void addFound(const std::vector<Found>& found);

  LoweringContext& context_;
  const Instruction& instruction_;
  LeafValues results_;
  llvm::LLVMContext llvm_;
  KernelBuilder builder_;
  ElementEmitter elements_;
  std::vector<ReadSlice> arguments_;
};

}  // namespace hilo
