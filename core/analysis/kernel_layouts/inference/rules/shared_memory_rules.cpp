// Loads, stores and asynchronous copies of shared memory.
#include <algorithm>

#include "core/analysis/kernel_layouts/inference/known_divisor.h"
#include "core/analysis/kernel_layouts/inference/rules/rules.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {
namespace {

MoveKind kindOf(const KernelOp& op, MoveKind unsaid) {
  if (!op.attribute<int64_t>("optimized")) return unsaid;
  return op.flag("optimized") ? MoveKind::Optimized : MoveKind::Unoptimized;
}

SharedMove moveOf(const KernelType& type, MoveKind kind) {
  return {{type.shape, stridesOf(type), elementBits(type)}, kind};
}

LayoutConstant familyOf(std::string_view name) {
  return RegisterLayout(std::ranges::find(namedLayouts(), name, &NamedLayout::name)->layout);
}

// Of an operation that copies to or from global memory: its indices stand behind its memory and barrier.
struct Indices {
  size_t first = 0;
  Sizes lengths;  // -1: the dimension is not in shared memory
};
Result<Indices> indicesOf(const KernelOp& op) {
  TRY(Sizes lengths, sizesOf(op, "slice_lengths"));
  const bool isLoad = op.opcode == "mosaic_gpu.async_load", isStore = op.opcode == "mosaic_gpu.async_store";
  const size_t first = isLoad ? 3 : isStore ? 2 : 1;
  TRY_STATUS(checkCounts(op, first + lengths.size(), 0));
  return Indices{first, std::move(lengths)};
}

bool isGather(const KernelDescription& kernel, const KernelOp& op, const Indices& indices) {
  for (size_t i = 0; i < indices.lengths.size(); ++i)
    if (kernel.type(op.operands[indices.first + i]).kind == KernelType::Kind::Vector) return true;
  return false;
}

// Vectors of indices as TMA's gather and scatter read them.
Status demandIndexLayouts(Derivation& derivation, OpId op, const Indices& indices) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (size_t i = 0; i < indices.lengths.size(); ++i) {
    const KernelType& type = derivation.kernel().type(one.operands[indices.first + i]);
    if (type.kind != KernelType::Kind::Vector) continue;
    OneOf allowed;
    if (!type.shape.empty() && type.shape[0] % 16 == 0) allowed.allowed.push_back(familyOf("TMA_INDICES"));
    if (!type.shape.empty() && type.shape[0] % 4 == 0) allowed.allowed.push_back(familyOf("TMA_INDICES_4"));
    if (allowed.allowed.empty()) return unsupported(one, "indices of shape " + tupleText(type.shape));
    const VariableId variable = derivation.operand(op, static_cast<uint32_t>(indices.first + i));
    derivation.demand(op, about(variable, std::move(allowed)));
  }
  return {};
}

// A slice begins between tiles; gathered rows stay the first dimension.
Result<Sizes> copyMultiple(const KernelDescription& kernel, const KernelOp& op, const Indices& indices) {
  const bool isLoad = op.opcode == "mosaic_gpu.async_load";
  const KernelType& global = kernel.type(op.operands[isLoad ? 0 : 1]);
  Sizes multiple;
  for (size_t i = 0; i < indices.lengths.size(); ++i) {
    if (indices.lengths[i] == -1) continue;
    const ValueId index = op.operands[indices.first + i];
    if (kernel.type(index).kind != KernelType::Kind::Vector) {
      if (indices.lengths[i] <= 0) return unsupported(op, "a slice without elements");
      multiple.push_back(commonDivisor(kernel, indices.lengths[i], index));
      continue;
    }
    if (i != 0) return unsupported(op, "only the first dimension is gathered or scattered");
    if (global.shape.size() != 2) return unsupported(op, "only matrices are gathered or scattered");
    multiple.push_back(indices.lengths[i]);
  }
  return multiple;
}

// Of gathered rows four go at once, to 1024 bits of one another.
Status demandGatherAlignment(Derivation& derivation, OpId op, VariableId shared, const Indices& indices) {
  const KernelOp& one = derivation.kernel().ops[op];
  const int64_t bits = elementBits(derivation.kernel().type(one.operands[0]));
  const int64_t divisor = bits == 0 ? 0 : 256 / bits;
  Sizes lengths = indices.lengths;
  std::erase(lengths, -1);
  if (divisor == 0 || (!lengths.empty() && lengths.back() % divisor != 0))
    return unsupported(one, "gathered rows are a multiple of 256 bits");
  derivation.demand(op, about(shared, MinorDivisible{divisor}));
  return {};
}

Status storeTo(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 2, 0));
  const VariableId value = derivation.operand(op, 0);
  if (!isIn(derivation, op, 1, MemorySpace::Shared)) return {};
  TRY(const VariableId memory, operandVariable(derivation, op, 1));
  const SharedMove move =
      moveOf(derivation.kernel().type(one.operands[1]), kindOf(one, MoveKind::Downgradable));
  derivation.demand(op, between(value, memory, move));
  return {};
}

}  // namespace

Status vectorLoadRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 1, 1));
  const VariableId value = derivation.result(op, 0);
  derivation.demand(op, about(value, NotOfKind{RegisterKind::Splat}));
  if (!isIn(derivation, op, 0, MemorySpace::Shared)) return {};
  TRY(const VariableId memory, operandVariable(derivation, op, 0));
  const SharedMove move = moveOf(derivation.kernel().type(one.operands[0]), kindOf(one, MoveKind::Optimized));
  derivation.demand(op, between(memory, value, move));
  return {};
}

Status vectorStoreRule(Derivation& derivation, OpId op) { return storeTo(derivation, op); }

Status asyncSharedStoreRule(Derivation& derivation, OpId op) {
  TRY_STATUS(storeTo(derivation, op));
  const VariableId value = derivation.operand(op, 0);
  derivation.demand(op, about(value, NotOfKind{RegisterKind::Strided}));
  derivation.demand(op, about(value, NotOfKind{RegisterKind::Splat}));
  return {};
}

Status asyncCopyRule(Derivation& derivation, OpId op) {
  const KernelDescription& kernel = derivation.kernel();
  const KernelOp& one = kernel.ops[op];
  TRY(const Indices indices, indicesOf(one));
  TRY(Sizes multiple, copyMultiple(kernel, one, indices));
  TRY(const VariableId shared,
      operandVariable(derivation, op, one.opcode == "mosaic_gpu.async_load" ? 1 : 0));
  derivation.demand(op, about(shared, Divides{std::move(multiple)}));
  if (isGather(kernel, one, indices)) TRY_STATUS(demandGatherAlignment(derivation, op, shared, indices));
  return demandIndexLayouts(derivation, op, indices);
}

Status asyncPrefetchRule(Derivation& derivation, OpId op) {
  TRY(const Indices indices, indicesOf(derivation.kernel().ops[op]));
  return demandIndexLayouts(derivation, op, indices);
}

// A scalar in shared memory, such as the phase of a barrier, is not transformed.
Status scalarMemoryRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  const uint32_t index = one.opcode == "memref.load" ? 0 : 1;
  TRY_STATUS(checkCounts(one, index + 1, 0));
  const Sizes& shape = derivation.kernel().type(one.operands[index]).shape;
  if (!shape.empty() && shape != Sizes{1}) return unsupported(one, "only scalars are loaded and stored so");
  if (!derivation.hasLayout(one.operands[index])) return {};
  return derivation.assign(op, derivation.operand(op, index), SharedTransforms{}, "a scalar");
}

Status clusterCancelRule(Derivation& derivation, OpId op) {
  TRY_STATUS(checkCounts(derivation.kernel().ops[op], 1, 0));
  TRY(const VariableId variable, operandVariable(derivation, op, 0));
  return derivation.assign(op, variable, SharedTransforms{}, "the answer about a cluster");
}

}  // namespace hilo::inference
