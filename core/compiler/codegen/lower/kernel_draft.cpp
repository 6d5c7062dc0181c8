#include "core/compiler/codegen/lower/kernel_draft.h"

#include "core/base/check.h"

namespace hilo {

KernelDraft::KernelDraft(LoweringContext& context, const Instruction& instruction, LeafValues results,
                         const LeafValues& tables)
    : context_(context),
      instruction_(instruction),
      results_(std::move(results)),
      builder_(llvm_, context.draft.target),
      elements_(builder_) {
  context_.startKernel(instruction, builder_);
  for (const LeafValue& table : tables) arguments_.emplace_back(table.slab->slice);
  findOperands();
}

namespace {
bool isInline(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Constant && instruction.shape().isArray() &&
         instruction.shape().elementCount() == 1;
}
}  // namespace

void KernelDraft::findOperands() {
  std::vector<Found> found;
  for (const Instruction* operand : instruction_.operands()) {
    if (!operand->shape().isArray() || isInline(*operand)) continue;
    found.push_back({operand, operand->shape(), context_.leafOf(*operand).slab->slice});
  }
  if (instruction_.opcode() == Opcode::Fusion) {
    const Computation& fused = *instruction_.calledComputations()[0];
    for (size_t i = 0; i < fused.parameters().size(); ++i) {
      const Instruction& parameter = *fused.parameters()[i];
      const Instruction& operand = *instruction_.operand(i);
      if (operand.shape().isArray()) {
        elements_.addAlias(parameter, operand);
        continue;
      }
      // Parts of a tuple are read where they are taken out.
      const LeafValues& all = context_.valuesOf(operand);
      for (const Instruction* user : parameter.users()) {
        if (user->opcode() != Opcode::GetTupleElement || !user->shape().isArray()) continue;
        const size_t leaf = firstLeafOf(operand.shape(), static_cast<size_t>(user->tupleIndex()));
        found.push_back({user, user->shape(), all[leaf].slab->slice});
      }
    }
    findInside(fused, found);
  }
  addFound(found);
}

// Constants of fused computations, and fusions within fusions.
void KernelDraft::findInside(const Computation& fused, std::vector<Found>& found) {
  for (const Instruction* inner : fused.instructions()) {
    if (inner->opcode() == Opcode::Constant && !isInline(*inner)) {
      const LeafValue constant = context_.constantLeaf(inner->literal());
      found.push_back({inner, inner->shape(), constant.slab->slice});
    }
    if (inner->opcode() != Opcode::Fusion) continue;
    const Computation& nested = *inner->calledComputations()[0];
    for (size_t i = 0; i < nested.parameters().size(); ++i)
      elements_.addAlias(*nested.parameters()[i], *inner->operand(i));
    elements_.addAlias(*inner, *nested.root());
    findInside(nested, found);
  }
}

void KernelDraft::addFound(const std::vector<Found>& found) {
  std::vector<int> buffers;
  for (const Found& leaf : found) {
    int buffer = -1;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].slab->slice == leaf.slice) buffer = -2 - static_cast<int>(i);
    }
    if (buffer == -1) {
      const auto known = std::ranges::find(
          arguments_, leaf.slice, [](const ReadSlice& slice) -> const BufferSlice& { return slice; });
      buffer = static_cast<int>(known - arguments_.begin());
      if (known == arguments_.end()) arguments_.emplace_back(leaf.slice);
    }
    buffers.push_back(buffer);
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const int buffer = buffers[i] >= 0 ? buffers[i] : resultBuffer(static_cast<size_t>(-2 - buffers[i]));
    elements_.addLeaf(*found[i].instruction, {buffer, found[i].shape});
  }
}

Status KernelDraft::finish(int64_t iterations, int64_t costNs) {
  if (elements_.overflowed()) return fail("too-large", "the kernel grew too large");
  context_.addKernelThunk(instruction_, builder_, arguments_, results_, iterations, costNs);
  return {};
}

}  // namespace hilo
