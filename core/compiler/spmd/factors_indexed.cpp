// Factors of gathers and scatters.
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// The dimensions 0..rank-1 that are not in the list.
std::vector<int64_t> others(size_t rank, std::span<const int64_t> list) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!contains(list, d)) result.push_back(d);
  }
  return result;
}

}  // namespace

OpFactors gatherFactors(const Instruction& gather) {
  FactorList list(gather);
  const auto offset = gather.get<Attr::OffsetDims>(), collapsed = gather.get<Attr::CollapsedSliceDims>();
  const auto operandBatch = gather.get<Attr::OperandBatchingDims>();
  const auto indexBatch = gather.get<Attr::StartIndicesBatchingDims>();
  const int64_t vector = gather.get<Attr::IndexVectorDim>().value_or(0);
  const Shape operand = gather.operand(0)->shape(), indices = gather.operand(1)->shape();
  const std::vector<int64_t> batch = others(gather.shape().rank(), offset);
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(indices.rank()); ++d) {
    if (d == vector || next == batch.size()) continue;
    Factor& factor = list.pass(1, d, batch[next++]);
    const auto found = std::ranges::find(indexBatch, d);
    if (found != indexBatch.end())
      factor.operands[0] = operandBatch[static_cast<size_t>(found - indexBatch.begin())];
  }
  next = 0;
  const auto sizes = gather.get<Attr::SliceSizes>();
  for (int64_t d = 0; d < static_cast<int64_t>(operand.rank()) && next < offset.size(); ++d) {
    if (contains(collapsed, d) || contains(operandBatch, d)) continue;
    const int64_t result = offset[next++];
    if (sizes[static_cast<size_t>(d)] == operand.dimension(static_cast<size_t>(d))) list.pass(0, d, result);
  }
  return list.take();
}

OpFactors scatterFactors(const Instruction& scatter) {
  FactorList list(scatter);
  const size_t arrays = scatter.operandCount() / 2, index = arrays;
  const auto window = scatter.get<Attr::UpdateWindowDims>(),
             inserted = scatter.get<Attr::InsertedWindowDims>();
  const auto inputBatch = scatter.get<Attr::InputBatchingDims>();
  const auto indexBatch = scatter.get<Attr::ScatterIndicesBatchingDims>();
  const int64_t vector = scatter.get<Attr::IndexVectorDim>().value_or(0);
  const Shape operand = scatter.operand(0)->shape(), indices = scatter.operand(index)->shape();
  const Shape updates = scatter.operand(index + 1)->shape();
  const auto combiner = arrays == 1 ? plainCombiner(scatter.get<Attr::ToApply>()) : std::nullopt;
  if (combiner) list.combineBy(*combiner);
  const auto setUpdates = [&](Factor& factor, int64_t dimension) {
    for (size_t i = 0; i < arrays; ++i) factor.operands[index + 1 + i] = dimension;
  };
  const auto passArrays = [&](int64_t dimension, int64_t update) -> Factor& {
    Factor& factor = list.pass(0, dimension, dimension);
    for (size_t i = 0; i < arrays; ++i) factor.operands[i] = dimension;
    setUpdates(factor, update);
    return factor;
  };
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(operand.rank()) && next < window.size(); ++d) {
    if (contains(inserted, d) || contains(inputBatch, d)) continue;
    const int64_t update = window[next++];
    if (updates.dimension(static_cast<size_t>(update)) == operand.dimension(static_cast<size_t>(d)))
      passArrays(d, update);
  }
  const std::vector<int64_t> batch = others(updates.rank(), window);
  next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(indices.rank()); ++d) {
    if (d == vector || next == batch.size()) continue;
    const int64_t update = batch[next++];
    const auto found = std::ranges::find(indexBatch, d);
    if (found != indexBatch.end()) {
      passArrays(inputBatch[static_cast<size_t>(found - indexBatch.begin())], update).operands[index] = d;
    } else if (combiner) {
      setUpdates(list.sum(index, d), update);
    }
  }
  return list.take();
}

}  // namespace hilo
