// Views of memory: slices, casts, other orders and shapes of the same elements.
#include <algorithm>
#include <numeric>

#include "core/analysis/kernel_layouts/inference/known_divisor.h"
#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"
#include "core/analysis/kernel_layouts/inference/rules/rules.h"

namespace hilo::inference {

using Kind = ValueSite::Kind;

namespace {

// What a tile of the last dimensions has to divide so that a slice begins and ends between tiles; dimensions
// up to one of a size that is not known are left out.
Result<Sizes> sliceMultiple(const KernelDescription& kernel, const KernelOp& op) {
  TRY(const Sizes offsets, sizesOf(op, "static_offsets"));
  TRY(const Sizes sizes, sizesOf(op, "static_sizes"));
  const Sizes& shape = kernel.type(op.operands[0]).shape;
  if (offsets.size() != shape.size() || sizes.size() != shape.size())
    return unsupported(op, "offsets and sizes for each dimension of its operand");
  if (const auto* strides = op.attribute<Sizes>("static_strides");
      strides && std::ranges::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return unsupported(op, "strides other than 1");
  Sizes multiple;
  size_t nextOffset = 1;  // operands behind the memory are the offsets that are not known
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool isDynamic = offsets[i] == kDynamicSize;
    if (isDynamic && nextOffset >= op.operands.size()) return unsupported(op, "an offset without an operand");
    const ValueId offset = isDynamic ? op.operands[nextOffset++] : 0;
    if (sizes[i] == kDynamicSize) {
      multiple.clear();
      continue;
    }
    const int64_t size = shape[i] == kDynamicSize ? 1 : std::gcd(sizes[i], shape[i]);
    if (size <= 0) return unsupported(op, "a slice without elements");
    multiple.push_back(isDynamic ? commonDivisor(kernel, size, offset) : std::gcd(size, offsets[i]));
  }
  return multiple;
}

}  // namespace

Status subviewRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  TRY(Sizes multiple, sliceMultiple(derivation.kernel(), one));
  TRY(const VariableId source, operandVariable(derivation, op, 0));
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, about(source, Divides{std::move(multiple)}));
  derivation.demand(op, equalLayouts(source, result));
  return {};
}

Status sameLayoutRule(Derivation& derivation, OpId op) {
  TRY_STATUS(checkCounts(derivation.kernel().ops[op], 1, 1));
  TRY(const VariableId variable, operandVariable(derivation, op, 0));
  return derivation.join(variable, {op, Kind::Result, 0});
}

Status transposeRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  TRY(const Sizes permutation, sizesOf(one, "permutation"));
  TRY_STATUS(checkStep(TransposeStep{permutation}));
  if (permutation.size() != derivation.kernel().type(one.operands[0]).shape.size())
    return unsupported(one, "a permutation of other dimensions than its operand's");
  Sizes inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  TRY(const VariableId source, operandVariable(derivation, op, 0));
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, equalLayouts(LayoutExpression(source).then(TransposeStep{permutation}), result));
  derivation.demand(op,
                    equalLayouts(source, LayoutExpression(result).then(TransposeStep{std::move(inverse)})));
  return {};
}

// Only the last dimensions that stay whole may be tiled.
Status expandShapeRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  if (isTransposed(derivation.kernel().type(one.operands[0]))) return unsupported(one, "transposed memory");
  TRY(const Sizes shape, sizesOf(one, "static_output_shape"));
  const auto* groups = one.attribute<std::vector<Sizes>>("reassociation");
  if (!groups) return unsupported(one, "it has no reassociation");
  Sizes multiple;
  for (size_t i = 0; i < std::min(shape.size(), groups->size()); ++i) {
    const int64_t size = shape[shape.size() - 1 - i];
    if (size == kDynamicSize || (*groups)[groups->size() - 1 - i].size() > 1) break;
    multiple.insert(multiple.begin(), size);
  }
  TRY(const VariableId source, operandVariable(derivation, op, 0));
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, about(source, Divides{std::move(multiple)}));
  derivation.demand(op, equalLayouts(source, result));
  return {};
}

Status collapseShapeRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const auto* groups = one.attribute<std::vector<Sizes>>("reassociation");
  if (!groups || groups->empty()) return unsupported(one, "it has no reassociation");
  const KernelType& type = derivation.kernel().type(one.operands[0]);
  if (stridesOf(type) != rowMajorStrides(type.shape))
    return unsupported(one, "memory that is not contiguous");
  CollapseStep step{.from = type.shape, .groups = {}};
  for (const Sizes& group : *groups) step.groups.push_back(static_cast<int64_t>(group.size()));
  TRY_STATUS(checkStep(step));
  TRY(const VariableId source, operandVariable(derivation, op, 0));
  const VariableId result = derivation.result(op, 0);
  derivation.demand(op, equalLayouts(result, LayoutExpression(source).then(std::move(step))));
  return {};
}

// Slices of one alias_id are the same memory; of tensor memory the operand has a layout too.
Status sliceRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 0, 1));
  for (uint32_t i = 0; i < one.operands.size(); ++i)
    if (derivation.hasLayout(one.operands[i])) TRY_STATUS(operandVariable(derivation, op, i));
  const ValueSite site{op, Kind::Result, 0};
  const auto* number = one.attribute<int64_t>("alias_id");
  if (!number) {
    derivation.variable(site);
    return {};
  }
  auto& shared = derivation.alias(layoutSpace(derivation.typeAt(site)), *number);
  if (shared) return derivation.join(*shared, site);
  shared = derivation.variable(site);
  return {};
}

Status withTransformsRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const auto* transforms = one.attribute<std::vector<SharedTransforms>>("transforms");
  if (!transforms) return unsupported(one, "it has no transforms");
  TRY(const VariableId variable, operandVariable(derivation, op, 0));
  TRY_STATUS(derivation.join(variable, {op, Kind::Result, 0}));
  return derivation.assign(op, variable, transforms->front(), "cannot apply transforms");
}

}  // namespace hilo::inference
