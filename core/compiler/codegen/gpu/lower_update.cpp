// dynamic-update-slice, by itself or as the root of a fusion: in place, a thread an element that is written.
//
// Rule: the array that is updated is an operand. It is copied first where something needs it as it was.
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/compiler/codegen/lower/update_in_place.h"

namespace hilo::gpu {

namespace {

// The instruction itself, or the root of the fusion it is; null where it is no update of an operand.
const Instruction* updateOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::DynamicUpdateSlice) return &instruction;
  if (instruction.opcode() != Opcode::Fusion) return nullptr;
  const Computation& fused = *instruction.calledComputations()[0];
  const Instruction* root = fused.root();
  const bool isUpdate =
      root->opcode() == Opcode::DynamicUpdateSlice && root->operand(0)->opcode() == Opcode::Parameter;
  return isUpdate && canBeOneKernel(fused) ? root : nullptr;
}

}  // namespace

Result<bool> lowerUpdate(const Instruction& instruction, LoweringContext& context) {
  const Instruction* update = updateOf(instruction);
  if (update == nullptr) return false;
  const auto result = updatedInto(instruction, *update, context);
  if (!result) return false;
  const Instruction& source = *update->operand(1);
  const Shape shape = source.shape();
  if (shape.elementCount() > 0) {
    KernelDraft draft(context, instruction, {*result});
    KernelBuilder& k = draft.builder();
    ElementIndex index{{}, k.begin(), shape};
    if (shape.rank() == 0) index = {};
    draft.elements().inFrame([&] {
      llvm::SmallVector<llvm::Value*, 6> place;
      const auto start = dynamicStart(*update, 2, instruction.shape(), shape.dimensions(), draft.elements());
      for (size_t d = 0; d < shape.rank(); ++d)
        place.push_back(k.b().CreateAdd(start[d], k.dimsOf(index)[d]));
      k.store(draft.resultBuffer(0), instruction.shape(), k.indexAt(place),
              draft.elements().at(source, index));
    });
    TRY_STATUS(draft.finish(shape.elementCount(), 100 + 2 * shape.elementCount()));
  }
  context.values[&instruction] = {*result};
  return true;
}

}  // namespace hilo::gpu
