// scatter: one thread, one update after the other, as two may meet.
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

using llvm::Value;

// What would reach outside is left out whole.
Status lowerScatter(const Instruction& instruction, LoweringContext& context) {
  const size_t n = instruction.operandCount() / 2;
  const Instruction &indices = *instruction.operand(n), &firstUpdate = *instruction.operand(n + 1);
  const auto shapes = arrayLeaves(instruction.shape());
  LeafValues results;
  for (size_t i = 0; i < n; ++i) {
    const Instruction& operand = *instruction.operand(i);
    const LeafValue from = context.leafOf(operand);
    ++from.slab->permissive;
    const bool last = timesRead(from, instruction, context) == 1 && context.isLastUse(from, instruction);
    --from.slab->permissive;
    if (last && sameMemoryOrder(operand.shape(), shapes[i])) {
      results.push_back(from);
      continue;
    }
    results.push_back(context.newLeaf(shapes[i]));
    context.copy(instruction, context.arranged(instruction, {from}, operand.shape(), shapes[i])[0],
                 results.back());
  }
  const Shape update = firstUpdate.shape(), shape = shapes[0];
  if (update.elementCount() > 0) {
    const auto windowDims = instruction.get<Attr::UpdateWindowDims>(),
               inserted = instruction.get<Attr::InsertedWindowDims>();
    const auto batching = instruction.get<Attr::InputBatchingDims>();
    const auto contains = [](std::span<const int64_t> list, size_t d) {
      return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
    };
    std::vector<size_t> operandDims, positionDims;
    std::vector<int64_t> positionSizes, windowSizes, extent(shape.rank(), 1);
    for (size_t d = 0; d < shape.rank(); ++d) {
      if (!contains(inserted, d) && !contains(batching, d)) operandDims.push_back(d);
    }
    for (size_t i = 0; i < windowDims.size(); ++i) {
      windowSizes.push_back(update.dimension(static_cast<size_t>(windowDims[i])));
      extent[operandDims[i]] = windowSizes.back();
    }
    for (size_t d = 0; d < update.rank(); ++d) {
      if (contains(windowDims, d)) continue;
      positionDims.push_back(d);
      positionSizes.push_back(update.dimension(d));
    }
    KernelDraft draft(context, instruction, results);
    KernelBuilder& k = draft.builder();
    // Nothing read from the result may be taken for known: each update changes what the next one sees.
    draft.elements().nestInFrame(positionSizes, [&](llvm::ArrayRef<Value*> position) {
      const auto start =
          startAt(instruction, indices, shape.rank(), instruction.get<Attr::ScatterDimsToOperandDims>(),
                  batching, instruction.get<Attr::ScatterIndicesBatchingDims>(), position, draft.elements());
      Value* inside = k.b().getTrue();
      for (size_t d = 0; d < shape.rank(); ++d) {
        const int64_t last = shape.dimension(d) - extent[d];
        inside = k.b().CreateAnd(inside, last < 0 ? static_cast<Value*>(k.b().getFalse())
                                                  : k.b().CreateICmpULE(start[d], k.int64(last)));
      }
      k.branch(inside, [&] {
        draft.elements().nestInFrame(windowSizes, [&](llvm::ArrayRef<Value*> window) {
          llvm::SmallVector<Value*, 6> from(update.rank()), to(start);
          for (size_t i = 0; i < positionDims.size(); ++i) from[positionDims[i]] = position[i];
          for (size_t i = 0; i < windowDims.size(); ++i) {
            from[static_cast<size_t>(windowDims[i])] = window[i];
            to[operandDims[i]] = k.b().CreateAdd(to[operandDims[i]], window[i]);
          }
          std::vector<Scalar> arguments;
          for (size_t i = 0; i < n; ++i)
            arguments.push_back(k.load(draft.resultBuffer(i), shapes[i], k.indexAt(to)));
          for (size_t i = 0; i < n; ++i)
            arguments.push_back(draft.elements().at(*instruction.operand(n + 1 + i), k.indexAt(from)));
          const auto next = draft.elements().apply(*instruction.get<Attr::ToApply>(), arguments);
          for (size_t i = 0; i < n; ++i) k.store(draft.resultBuffer(i), shapes[i], k.indexAt(to), next[i]);
        });
      });
    });
    TRY_STATUS(draft.finish(1, 10 * update.elementCount()));
  }
  context.values[&instruction] = std::move(results);
  return {};
}

}  // namespace hilo
