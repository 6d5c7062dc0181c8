// Operations that change the shape of register arrays.
#include <algorithm>

#include "core/analysis/kernel_layouts/inference/rules/rules.h"

namespace hilo::inference {
namespace {

const Sizes& operandShape(const Derivation& derivation, const KernelOp& op, size_t index) {
  return derivation.kernel().type(op.operands[index]).shape;
}
const Sizes& resultShape(const Derivation& derivation, const KernelOp& op) {
  return derivation.kernel().type(op.results[0]).shape;
}

Result<LayoutExpression> stepFrom(LayoutExpression expression, LayoutStep step) {
  TRY_STATUS(checkStep(step));
  return expression.then(std::move(step));
}

Status checkUnitStrides(const KernelOp& op) {
  const auto* strides = op.attribute<Sizes>("strides");
  if (strides && std::ranges::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return unsupported(op, "strides other than 1");
  return {};
}

}  // namespace

Status multiReductionRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 1));
  TRY(Sizes axes, sizesOf(one, "reduction_dims"));
  std::ranges::sort(axes);
  const VariableId source = derivation.operand(op, 0), result = derivation.result(op, 0);
  TRY_STATUS(derivation.join(result, {op, ValueSite::Kind::Operand, 1}));
  const auto rank = static_cast<int64_t>(operandShape(derivation, one, 0).size());
  TRY(LayoutExpression reduced, stepFrom(source, ReduceStep{std::move(axes), rank, false}));
  derivation.demand(op, about(source, NotOfKind{RegisterKind::Strided}));
  derivation.demand(op, equalLayouts(result, std::move(reduced)));
  return {};
}

// The source is what is left of the result without the dimensions that the broadcast makes or repeats.
Status broadcastInDimRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  TRY(const Sizes dimensions, sizesOf(one, "broadcast_dimensions"));
  const Sizes &from = operandShape(derivation, one, 0), &to = resultShape(derivation, one);
  if (dimensions.size() != from.size())
    return unsupported(one, "broadcast_dimensions are not those of its operand");
  const auto rank = static_cast<int64_t>(to.size());
  Sizes repeated, made;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = std::ranges::find(dimensions, d);
    if (at == dimensions.end())
      made.push_back(d);
    else if (from[static_cast<size_t>(at - dimensions.begin())] == 1 && to[static_cast<size_t>(d)] > 1)
      repeated.push_back(d);
  }
  const VariableId source = derivation.operand(op, 0), result = derivation.result(op, 0);
  LayoutExpression left = result;
  if (!repeated.empty()) left = left.then(ReduceStep{repeated, rank, true});
  if (!made.empty()) left = left.then(ReduceStep{made, rank, false});
  derivation.demand(op, equalLayouts(source, std::move(left)));
  derivation.demand(op, between(source, result, Broadcasts{dimensions}));
  return {};
}

// Stated both ways, so that each side follows from the other.
Status shapeCastRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const Sizes &from = operandShape(derivation, one, 0), &to = resultShape(derivation, one);
  const VariableId source = derivation.operand(op, 0), result = derivation.result(op, 0);
  TRY(LayoutExpression forth, stepFrom(source, ReshapeStep{from, to}));
  TRY(LayoutExpression back, stepFrom(result, ReshapeStep{to, from}));
  derivation.demand(op, equalLayouts(result, std::move(forth)));
  derivation.demand(op, equalLayouts(source, std::move(back)));
  return {};
}

Status concatRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const VariableId result = derivation.result(op, 0);
  demandTiled(derivation, op, result);
  for (uint32_t i = 0; i < one.operands.size(); ++i)
    derivation.demand(op, equalLayouts(derivation.operand(op, i), result));
  return {};
}

Status extractSliceRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  TRY_STATUS(checkUnitStrides(one));
  TRY(Sizes offsets, sizesOf(one, "offsets"));
  const VariableId source = derivation.operand(op, 0), result = derivation.result(op, 0);
  derivation.demand(op, about(source, Divides{std::move(offsets)}));
  derivation.demand(op, equalLayouts(source, result));
  demandTiled(derivation, op, result);
  return {};
}

Status insertSliceRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 1));
  TRY_STATUS(checkUnitStrides(one));
  TRY(Sizes offsets, sizesOf(one, "offsets"));
  const VariableId source = derivation.operand(op, 0), into = derivation.operand(op, 1);
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, about(into, Divides{std::move(offsets)}));
  derivation.demand(op, equalLayouts(into, source));
  derivation.demand(op, equalLayouts(into, result));
  derivation.demand(op, equalLayouts(source, result));
  demandTiled(derivation, op, into);
  return {};
}

Status extractRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const VariableId source = derivation.operand(op, 0);
  const Sizes& shape = operandShape(derivation, one, 0);
  if (!derivation.hasLayout(one.results[0]))  // one element: only a splat has it in every thread
    return derivation.assign(op, source, RegisterLayout(SplatLayout{shape}),
                             "an array of which one element is read");
  if (one.operands.size() > 1) return unsupported(one, "positions that are known only while the kernel runs");
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, equalLayouts(source, result));
  derivation.demand(op, about(source, Divides{shape}));
  derivation.demand(op, about(result, Divides{resultShape(derivation, one)}));
  demandTiled(derivation, op, result);
  return {};
}

}  // namespace hilo::inference
