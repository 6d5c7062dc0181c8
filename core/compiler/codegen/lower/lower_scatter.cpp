// scatter: one thread, one update after the other, as two may meet.
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/scatter_form.h"

namespace hilo {

using llvm::Value;

LeafValues scatteredInto(const Instruction& scatter, LoweringContext& context) {
  const auto shapes = arrayLeaves(scatter.shape());
  LeafValues results;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Instruction& operand = *scatter.operand(i);
    const LeafValue from = context.leafOf(operand);
    ++from.slab->permissive;
    const bool last = timesRead(from, scatter, context) == 1 && context.isLastUse(from, scatter);
    --from.slab->permissive;
    if (last && sameMemoryOrder(operand.shape(), shapes[i])) {
      results.push_back(from);
      continue;
    }
    results.push_back(context.newLeaf(shapes[i]));
    context.copy(scatter, context.arranged(scatter, {from}, operand.shape(), shapes[i])[0], results.back());
  }
  return results;
}

std::vector<Scalar> scatteredElements(const ScatterForm& form, KernelDraft& draft, const ElementIndex& update,
                                      const std::vector<Scalar>& old) {
  std::vector<Scalar> arguments = old;
  const Instruction& scatter = form.scatter;
  for (size_t i = 0; i < old.size(); ++i)
    arguments.push_back(draft.elements().at(*scatter.operand(old.size() + 1 + i), update));
  return draft.elements().apply(*scatter.get<Attr::ToApply>(), arguments);
}

void scatterElement(const ScatterForm& form, KernelDraft& draft, const ElementIndex& update,
                    const ElementIndex& at) {
  KernelBuilder& k = draft.builder();
  const auto shapes = arrayLeaves(form.scatter.shape());
  std::vector<Scalar> old;
  for (size_t i = 0; i < shapes.size(); ++i) old.push_back(k.load(draft.resultBuffer(i), shapes[i], at));
  const auto next = scatteredElements(form, draft, update, old);
  for (size_t i = 0; i < shapes.size(); ++i) k.store(draft.resultBuffer(i), shapes[i], at, next[i]);
}

Status lowerScatter(const Instruction& instruction, LoweringContext& context) {
  const ScatterForm form(instruction);
  const LeafValues results = scatteredInto(instruction, context);
  if (form.update.elementCount() > 0) {
    KernelDraft draft(context, instruction, results);
    KernelBuilder& k = draft.builder();
    // Nothing read from the result may be taken for known: each update changes what the next one sees.
    draft.elements().nestInFrame(form.positionSizes, [&](llvm::ArrayRef<Value*> position) {
      const auto start = form.startAt(position, draft.elements());
      k.branch(form.isInside(start, k), [&] {
        draft.elements().nestInFrame(form.windowSizes, [&](llvm::ArrayRef<Value*> window) {
          scatterElement(form, draft, form.updateAt(position, window, k), form.resultAt(start, window, k));
        });
      });
    });
    TRY_STATUS(draft.finish(1, 10 * form.update.elementCount()));
  }
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo
