// Where the elements of a scatter's updates go.
#pragma once

#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo {

struct ScatterForm {
  explicit ScatterForm(const Instruction& scatter);

  using Places = llvm::SmallVector<llvm::Value*, 6>;
  // Of the update at a position in the indices, before the window's own places are added.
  Places startAt(llvm::ArrayRef<llvm::Value*> position, ElementEmitter& e) const;
  // What would reach outside is left out whole.
  llvm::Value* isInside(llvm::ArrayRef<llvm::Value*> start, KernelBuilder& k) const;
  // Of an element of the updates, and in the result.
  ElementIndex updateAt(llvm::ArrayRef<llvm::Value*> position, llvm::ArrayRef<llvm::Value*> window,
                        KernelBuilder& k) const;
  ElementIndex resultAt(Places start, llvm::ArrayRef<llvm::Value*> window, KernelBuilder& k) const;

  const Instruction& scatter;
  const Instruction& indices;
  Shape shape, update;  // of the first of each
  std::vector<int64_t> positionSizes,
      windowSizes;  // dimensions of an update: those of positions, and of a window
  std::vector<size_t> positionDims, windowDims;  // in the updates
  std::vector<size_t> operandDims;               // of a window, in the operand
};

// The results: the operands themselves where nothing needs them any more, else copies.
LeafValues scatteredInto(const Instruction& scatter, LoweringContext& context);
// What elements become by those of the updates.
std::vector<Scalar> scatteredElements(const ScatterForm& form, KernelDraft& draft, const ElementIndex& update,
                                      const std::vector<Scalar>& old);
// Reads the results' elements, and writes what they become.
void scatterElement(const ScatterForm& form, KernelDraft& draft, const ElementIndex& update,
                    const ElementIndex& at);

}  // namespace hilo
