#include "core/compiler/passes/simplify/batched_gather_scatter.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Dims = std::vector<int64_t>;
using DimSpan = std::span<const int64_t>;

bool haveCommon(DimSpan a, DimSpan b) {
  return std::ranges::any_of(a, [&](int64_t d) { return std::ranges::find(b, d) != b.end(); });
}

bool hasBatches(const Instruction& i) {
  if (i.opcode() == Opcode::Scatter) return !i.get<Attr::InputBatchingDims>().empty();
  return i.opcode() == Opcode::Gather && !i.get<Attr::OperandBatchingDims>().empty() &&
         !haveCommon(i.get<Attr::OperandBatchingDims>(), i.get<Attr::StartIndexMap>());
}

// Sizes are small against 2^63.
bool holds(ElementType type, int64_t size) {
  const int bits = elementBits(type) - (isSigned(type) ? 1 : 0);
  return bits >= 63 || size < int64_t{1} << bits;
}

// The type of the indices, or a wider one that also holds the sizes.
ElementType typeFor(Shape indices, DimSpan batches) {
  ElementType type = indices.elementType();
  for (const int64_t d : batches) {
    const int64_t size = indices.dimension(static_cast<size_t>(d));
    if (!holds(type, size)) type = holds(ElementType::S32, size) ? ElementType::S32 : ElementType::S64;
  }
  return type;
}

// Index vectors along dimension `vector`, each behind its places along `batches`.
Instruction* withBatches(Instruction* indices, int64_t vector, DimSpan batches, Instruction& before) {
  indices = convertTo(indices, typeFor(indices->shape(), batches), before);
  Dims sizes(indices->shape().dimensions().begin(), indices->shape().dimensions().end());
  if (vector == static_cast<int64_t>(sizes.size())) sizes.push_back(1);
  indices = reshapeTo(indices, sizes, before);
  const auto along = static_cast<size_t>(vector);
  const int64_t length = sizes[along];
  sizes[along] = 1;
  const Shape one = arrayLike(indices->shape(), indices->shape().elementType(), sizes);
  std::vector<Instruction*> parts;
  for (const int64_t d : batches) {
    parts.push_back(before.parent().create(Opcode::Iota, one, {}, {}, &before));
    parts.back()->set<Attr::IotaDimension>(d);
  }
  parts.push_back(indices);
  sizes[along] = length + static_cast<int64_t>(batches.size());
  Instruction* all = before.parent().create(Opcode::Concatenate, arrayLike(one, one.elementType(), sizes),
                                            parts, {}, &before);
  all->set<Attr::Dimensions>(Dims{vector});
  return all;
}

Dims joined(DimSpan a, DimSpan b) {
  Dims all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Dims sorted(Dims dims) {
  std::ranges::sort(dims);
  return dims;
}

Instruction* withIndices(Instruction& i, size_t at, DimSpan batches) {
  std::vector<Instruction*> operands(i.operands().begin(), i.operands().end());
  operands[at] = withBatches(operands[at], i.get<Attr::IndexVectorDim>().value_or(0), batches, i);
  return i.parent().createLike(i, operands, &i);
}

// Vectors in order are in order still where batches come in their order, and all dimensions in theirs.
void keepSorted(Instruction& made, DimSpan batches, DimSpan map) {
  const bool isInOrder = std::ranges::is_sorted(batches) && std::ranges::is_sorted(map);
  if (!isInOrder) made.erase(Attr::IndicesAreSorted);
}

Instruction* normalGather(Instruction& i) {
  const DimSpan batches = i.get<Attr::OperandBatchingDims>(),
                ofIndices = i.get<Attr::StartIndicesBatchingDims>();
  const Dims map = joined(batches, i.get<Attr::StartIndexMap>());
  Instruction* made = withIndices(i, 1, ofIndices);
  keepSorted(*made, ofIndices, map);
  made->set<Attr::StartIndexMap>(map);
  made->set<Attr::CollapsedSliceDims>(sorted(joined(i.get<Attr::CollapsedSliceDims>(), batches)));
  made->erase(Attr::OperandBatchingDims);
  made->erase(Attr::StartIndicesBatchingDims);
  return made;
}

Instruction* normalScatter(Instruction& i) {
  const DimSpan batches = i.get<Attr::InputBatchingDims>(),
                ofIndices = i.get<Attr::ScatterIndicesBatchingDims>();
  const Dims map = joined(batches, i.get<Attr::ScatterDimsToOperandDims>());
  Instruction* made = withIndices(i, i.operandCount() / 2, ofIndices);
  keepSorted(*made, ofIndices, map);
  made->set<Attr::ScatterDimsToOperandDims>(map);
  made->set<Attr::InsertedWindowDims>(sorted(joined(i.get<Attr::InsertedWindowDims>(), batches)));
  made->erase(Attr::InputBatchingDims);
  made->erase(Attr::ScatterIndicesBatchingDims);
  return made;
}

}  // namespace

Result<bool> normalizeBatches(Module& module, PassContext& context) {
  return rewriteEach(module, context, "normalized", hasBatches, [](Instruction& i) {
    return i.opcode() == Opcode::Gather ? normalGather(i) : normalScatter(i);
  });
}

}  // namespace hilo
