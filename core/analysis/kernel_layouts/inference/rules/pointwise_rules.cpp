// Operations whose arrays are all of one layout, and those that have one array.
#include <algorithm>

#include "core/analysis/kernel_layouts/inference/rules/rules.h"

namespace hilo::inference {

using Kind = ValueSite::Kind;

Status pointwiseRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  if (!derivation.hasLayout(one.results[0]))
    return unsupported(one, "an array among its operands, but no result");
  const VariableId variable = derivation.result(op, 0);
  for (uint32_t i = 0; i < one.operands.size(); ++i)
    if (derivation.hasLayout(one.operands[i])) TRY_STATUS(derivation.join(variable, {op, Kind::Operand, i}));
  return {};
}

// Values that come from outside of the kernel, or through a cast whose source has no layout.
Status outsideRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (uint32_t i = 0; i < one.operands.size(); ++i)
    if (derivation.hasLayout(one.operands[i])) TRY_STATUS(operandVariable(derivation, op, i));
  for (uint32_t i = 0; i < one.results.size(); ++i)
    if (derivation.hasLayout(one.results[i])) derivation.result(op, i);
  return {};
}

Status constantRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 0, 1));
  const VariableId variable = derivation.result(op, 0);
  const auto* word = one.attribute<std::string>("value");
  const bool isSplat = one.attribute<int64_t>("value") || (word && *word != "dense");
  if (isSplat) {
    const Sizes& shape = derivation.kernel().type(one.results[0]).shape;
    return derivation.assign(op, variable, RegisterLayout(SplatLayout{shape}), "a constant of one value");
  }
  derivation.demand(op, about(variable, NotOfKind{RegisterKind::Splat}));
  return {};
}

Status notSplatResultRule(Derivation& derivation, OpId op) {
  TRY_STATUS(checkCounts(derivation.kernel().ops[op], 0, 1));
  derivation.demand(op, about(derivation.result(op, 0), NotOfKind{RegisterKind::Splat}));
  return {};
}

Status splatResultRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  if (derivation.hasLayout(one.operands[0]))
    return unsupported(one, "only scalars are broadcast; of arrays there is mosaic_gpu.broadcast_in_dim");
  const Sizes& shape = derivation.kernel().type(one.results[0]).shape;
  return derivation.assign(op, derivation.result(op, 0), RegisterLayout(SplatLayout{shape}),
                           "a broadcast scalar");
}

Status ownOperandRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (uint32_t i = 0; i < one.operands.size(); ++i)
    if (derivation.hasLayout(one.operands[i])) TRY_STATUS(operandVariable(derivation, op, i));
  return {};
}

Status optimizationBarrierRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, one.results.size(), one.operands.size()));
  for (uint32_t i = 0; i < one.operands.size(); ++i) {
    if (!derivation.hasLayout(one.operands[i])) continue;
    TRY(const VariableId variable, operandVariable(derivation, op, i));
    TRY_STATUS(derivation.join(variable, {op, Kind::Result, i}));
  }
  return {};
}

Status layoutCastRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const auto* layout = one.attribute<std::vector<RegisterLayout>>("new_layout");
  if (!layout) return unsupported(one, "it has no new_layout");
  const VariableId from = derivation.operand(op, 0), to = derivation.result(op, 0);
  const int64_t bits = elementBits(derivation.kernel().type(one.operands[0]));
  TRY_STATUS(derivation.assign(op, to, inRegisters(layout->front()), "cannot cast to layout"));
  derivation.demand(op, relayout(from, to, bits, false));
  return {};
}

}  // namespace hilo::inference
