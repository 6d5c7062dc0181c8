// Tensor memory: allocation, copies from and to it.
#include "core/analysis/kernel_layouts/inference/rules/rules.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {

using Kind = ValueSite::Kind;

namespace {

Result<TensorMove> moveOf(const KernelOp& op, const KernelType& type) {
  const int64_t bits = elementBits(type);
  if (type.shape.size() != 2 || bits == 0 || bits > 32)
    return unsupported(op, "matrices of at most 32 bits an element, not " + toString(type));
  return TensorMove{type.shape, bits};
}

}  // namespace

Status tensorLayoutCastRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const auto* layout = one.attribute<std::vector<RegisterLayout>>("new_layout");
  const auto* tiled = layout ? std::get_if<TiledLayout>(&layout->front()) : nullptr;
  if (!tiled) return unsupported(one, "it has no new_layout that is tiled");
  TRY(const VariableId variable, operandVariable(derivation, op, 0));
  TRY_STATUS(derivation.join(variable, {op, Kind::Result, 0}));
  return derivation.assign(op, variable, inTensorMemory(*tiled),
                           "cannot cast to the layout of tensor memory");
}

Status tensorAllocRule(Derivation& derivation, OpId op) {
  TRY_STATUS(checkCounts(derivation.kernel().ops[op], 1, 1));
  derivation.result(op, 0);
  if (!isIn(derivation, op, 0, MemorySpace::Shared)) return {};
  return derivation.assign(op, derivation.operand(op, 0), SharedTransforms{}, "the address of tensor memory");
}

Status tensorLoadRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  TRY(const TensorMove move, moveOf(one, derivation.kernel().type(one.operands[0])));
  TRY(const VariableId memory, operandVariable(derivation, op, 0));
  const VariableId value = derivation.result(op, 0);
  derivation.demand(op, between(memory, value, move));
  demandTiled(derivation, op, value);
  if (one.results.size() > 1)  // folded along the columns while it is loaded
    derivation.demand(
        op, equalLayouts(derivation.result(op, 1), LayoutExpression(value).then(ReduceStep{{1}, 2, false})));
  return {};
}

Status tensorStoreRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 0));
  TRY(const TensorMove move, moveOf(one, derivation.kernel().type(one.operands[0])));
  const VariableId value = derivation.operand(op, 0);
  TRY(const VariableId memory, operandVariable(derivation, op, 1));
  derivation.demand(op, between(value, memory, move));
  return {};
}

Status sharedToTensorRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 0));
  const int64_t bits = elementBits(derivation.kernel().type(one.operands[1]));
  if (bits == 0 || bits > 32) return unsupported(one, "elements of at most 32 bits");
  TRY(const VariableId shared, operandVariable(derivation, op, 0));
  TRY(const VariableId tensor, operandVariable(derivation, op, 1));
  TRY_STATUS(derivation.assign(op, tensor, TensorLayout{tmemDefaultLayout(32 / bits)},
                               "what is copied to tensor memory"));
  derivation.demand(op, about(shared, MmaTile{bits, true}));
  return {};
}

Status storeSparseMetadataRule(Derivation& derivation, OpId op) {
  TRY_STATUS(checkCounts(derivation.kernel().ops[op], 2, 0));
  TRY(const VariableId shared, operandVariable(derivation, op, 0));
  TRY(const VariableId tensor, operandVariable(derivation, op, 1));
  TRY_STATUS(
      derivation.assign(op, tensor, TensorLayout{tmemSparseMetadataLayout()}, "metadata of a sparse matrix"));
  return derivation.assign(op, shared, SharedTransforms{}, "metadata of a sparse matrix");
}

Status storeScalesRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 0));
  const KernelDescription& kernel = derivation.kernel();
  const Sizes &from = kernel.type(one.operands[0]).shape, &to = kernel.type(one.operands[1]).shape;
  if (to.size() != 2) return unsupported(one, "scales are a matrix");
  TRY(const VariableId shared, operandVariable(derivation, op, 0));
  TRY(const VariableId tensor, operandVariable(derivation, op, 1));
  const bool isM64 = from == Sizes{1, to[1] / 4, 64, 16};
  TRY_STATUS(derivation.assign(
      op, tensor, TensorLayout{isM64 ? tmemScalesM64CollectiveLayout() : tmemScalesLayout()}, "scales"));
  return derivation.assign(op, shared, SharedTransforms{}, "scales");
}

}  // namespace hilo::inference
