// Whatever can be computed element by element, a few elements side by side a thread.
//
// Rule: the last shape, which takes every instruction. A thread does as many elements of the result as are 16
// bytes of the widest array, where its fastest varying dimension is a multiple of that: LLVM makes one access
// of neighbouring ones. Neighbouring threads do neighbouring elements in memory. Elements that are made of
// many others are done one a thread.
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/vectors.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

bool isOfManyAnywhere(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Fusion) return isOfMany(instruction.opcode());
  return std::ranges::any_of(instruction.calledComputations()[0]->instructions(),
                             [](const Instruction* step) { return isOfMany(step->opcode()); });
}

class VectorKernel {
 public:
  VectorKernel(KernelDraft& draft, const Instruction& instruction)
      : draft_(draft),
        k_(draft.builder()),
        instruction_(instruction),
        shapes_(arrayLeaves(instruction.shape())),
        isFlat_(isFlat(instruction, shapes_[0])) {
    const auto order = majorToMinor(shapes_[0]);
    const int64_t count = shapes_[0].elementCount();
    minor_ = order.empty() ? 0 : static_cast<size_t>(order.back());
    if (!order.empty() && !isOfManyAnywhere(instruction))
      length_ = vectorLength(instruction, isFlat_ ? count : shapes_[0].dimension(minor_));
    iterations_ = count / length_;
  }

  int64_t iterations() const { return iterations_; }

  void write() {
    // Numbers known to be small are divided as 32 bits.
    Value* isWithin = k_.b().CreateICmpULT(k_.begin(), k_.int64(iterations_));
    k_.b().CreateAssumption(isWithin);
    draft_.elements().inFrame([&] {
      std::vector<std::vector<Scalar>> values;
      const auto indices = indicesOf(k_.begin());
      for (const ElementIndex& index : indices) values.push_back(valuesAt(index));
      for (size_t r = 0; r < shapes_.size(); ++r) {
        for (size_t v = 0; v < indices.size(); ++v)
          k_.store(draft_.resultBuffer(r), shapes_[r], indices[v], values[v][r]);
      }
    });
  }

 private:
  std::vector<ElementIndex> indicesOf(Value* vector) {
    if (shapes_[0].rank() == 0) return {{}};
    Value* first = k_.b().CreateMul(vector, k_.int64(length_), "", true, true);
    ElementIndex start{{}, first, shapes_[0]};
    if (!isFlat_) k_.dimsOf(start);
    std::vector<ElementIndex> indices;
    for (int64_t v = 0; v < length_; ++v) {
      ElementIndex index = start;
      if (v > 0) {
        index.linear = k_.b().CreateAdd(first, k_.int64(v), "", true, true);
        if (!isFlat_) index.dims[minor_] = k_.b().CreateAdd(start.dims[minor_], k_.int64(v), "", true, true);
      }
      indices.push_back(index);
    }
    return indices;
  }

  // In order where that is possible, so that a long chain of operations is no deep recursion.
  std::vector<Scalar> valuesAt(const ElementIndex& index) {
    ElementEmitter& elements = draft_.elements();
    if (instruction_.opcode() != Opcode::Fusion) return elements.allAt(instruction_, index);
    const Computation& fused = *instruction_.calledComputations()[0];
    if (isFlat_) {
      for (const Instruction* inner : fused.instructions()) {
        if (inner->shape().isArray())
          elements.allAt(*inner, inner->shape().rank() == 0 ? ElementIndex{} : index);
      }
    }
    return elements.allAt(*fused.root(), index);
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  const Instruction& instruction_;
  const std::vector<Shape> shapes_;
  const bool isFlat_;
  size_t minor_ = 0;
  int64_t length_ = 1, iterations_ = 1;
};

}  // namespace

Result<bool> lowerVectors(const Instruction& instruction, LoweringContext& context) {
  LeafValues results = context.newLeaves(instruction.shape());
  const int64_t count = arrayLeaves(instruction.shape())[0].elementCount();
  if (count > 0) {
    KernelDraft draft(context, instruction, results);
    VectorKernel kernel(draft, instruction);
    kernel.write();
    TRY_STATUS(draft.finish(kernel.iterations(), 100 + 2 * count));
  }
  context.values[&instruction] = std::move(results);
  passSizesOn(instruction, context);
  return true;
}

}  // namespace hilo::gpu
