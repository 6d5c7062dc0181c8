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

// The dimension of the indices along which the numbers at a place of the index vector count from 0; -1: none.
int64_t countedDimension(const Instruction* indices, int64_t vector, int64_t place) {
  if (indices->opcode() == Opcode::Concatenate && indices->dimensions()[0] == vector) {
    for (const Instruction* part : indices->operands()) {
      const int64_t size = part->shape().dimension(static_cast<size_t>(vector));
      if (place < size) return countedDimension(part, vector, place);
      place -= size;
    }
    return -1;
  }
  const int64_t along =
      indices->opcode() == Opcode::Iota ? indices->get<Attr::IotaDimension>().value_or(-1) : -1;
  return along == vector ? -1 : along;
}

// Index vectors that count along a dimension of theirs pick the elements of an array's dimension in order:
// the two are one factor. `indices` is an operand's number; `map` says which dimension an index is for.
template <typename Join>
void joinCounted(const Instruction& instruction, size_t indices, std::span<const int64_t> map, Join join) {
  const Instruction* list = instruction.operand(indices);
  const int64_t vector = instruction.get<Attr::IndexVectorDim>().value_or(0);
  for (size_t place = 0; place < map.size(); ++place) {
    const int64_t along = countedDimension(list, vector, static_cast<int64_t>(place));
    const int64_t dimension = map[place];
    if (along < 0 || list->shape().dimension(static_cast<size_t>(along)) !=
                         instruction.operand(0)->shape().dimension(static_cast<size_t>(dimension)))
      continue;
    join(along, dimension, static_cast<int64_t>(place));
  }
}

// A device that holds a range of the picked dimension gives what lies there and zero for the rest.
void sumPickedRanges(FactorList& list, const Instruction& gather) {
  const auto sizes = gather.get<Attr::SliceSizes>();
  const bool isPred = gather.shape().elementType() == ElementType::Pred;
  list.combineBy(isPred ? Opcode::Or : Opcode::Add);
  const auto map = gather.get<Attr::StartIndexMap>();
  for (size_t place = 0; place < map.size(); ++place) {
    const bool isOne = sizes[static_cast<size_t>(map[place])] == 1;
    if (isOne && !list.factorOf(0, map[place])) list.sum(0, map[place]).counted = static_cast<int64_t>(place);
  }
}

// A dimension of the arrays that a scatter writes, and of its updates where that is not -1.
Factor& passArrays(FactorList& list, const Instruction& scatter, int64_t dimension, int64_t update) {
  const size_t arrays = scatter.operandCount() / 2;
  Factor& factor = list.pass(0, dimension, dimension);
  for (size_t i = 0; i < arrays; ++i) {
    factor.operands[i] = dimension;
    factor.operands[arrays + 1 + i] = update;
  }
  return factor;
}

// A device that holds a range of the written dimension takes the updates for it; others are out of range.
void passWrittenRanges(FactorList& list, const Instruction& scatter, std::span<const int64_t> inserted) {
  const auto map = scatter.get<Attr::ScatterDimsToOperandDims>();
  for (size_t place = 0; place < map.size(); ++place) {
    if (!contains(inserted, map[place]) || list.factorOf(0, map[place])) continue;
    passArrays(list, scatter, map[place], -1).counted = static_cast<int64_t>(place);
  }
}

// Updates that count along a written dimension: `batch` are the dimensions of updates that indices have too.
void passCountedUpdates(FactorList& list, const Instruction& scatter, std::span<const int64_t> batch) {
  const size_t arrays = scatter.operandCount() / 2;
  const auto inserted = scatter.get<Attr::InsertedWindowDims>();
  const int64_t vector = scatter.get<Attr::IndexVectorDim>().value_or(0);
  const auto join = [&](int64_t along, int64_t dimension, int64_t place) {
    Factor* factor = list.factorOf(arrays, along);
    const bool isFree = factor == nullptr || factor->kind == Factor::Kind::Sum;
    if (!isFree || !contains(inserted, dimension) || list.factorOf(0, dimension)) return;
    if (factor == nullptr) factor = &list.pass(arrays, along, dimension);
    factor->kind = Factor::Kind::Pass;
    factor->result = dimension;
    factor->counted = place;
    for (size_t i = 0; i < arrays; ++i) {
      factor->operands[i] = dimension;
      factor->operands[arrays + 1 + i] = batch[static_cast<size_t>(along - (vector < along ? 1 : 0))];
    }
  };
  joinCounted(scatter, arrays, scatter.get<Attr::ScatterDimsToOperandDims>(), join);
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
  joinCounted(gather, 1, gather.get<Attr::StartIndexMap>(),
              [&](int64_t along, int64_t dimension, int64_t place) {
                Factor* factor = list.factorOf(1, along);
                if (factor == nullptr || factor->operands[0] >= 0 ||
                    sizes[static_cast<size_t>(dimension)] != 1 || list.factorOf(0, dimension))
                  return;
                factor->operands[0] = dimension;
                factor->counted = place;
              });
  sumPickedRanges(list, gather);
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
  if (combiner)
    list.combineBy(*combiner);
  else
    list.neverCombine();
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(operand.rank()) && next < window.size(); ++d) {
    if (contains(inserted, d) || contains(inputBatch, d)) continue;
    const int64_t update = window[next++];
    if (updates.dimension(static_cast<size_t>(update)) == operand.dimension(static_cast<size_t>(d)))
      passArrays(list, scatter, d, update);
  }
  const std::vector<int64_t> batch = others(updates.rank(), window);
  next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(indices.rank()); ++d) {
    if (d == vector || next == batch.size()) continue;
    const int64_t update = batch[next++];
    const auto found = std::ranges::find(indexBatch, d);
    if (found != indexBatch.end()) {
      const int64_t input = inputBatch[static_cast<size_t>(found - indexBatch.begin())];
      passArrays(list, scatter, input, update).operands[index] = d;
    } else {
      Factor& factor = list.sum(index, d);
      for (size_t i = 0; i < arrays; ++i) factor.operands[arrays + 1 + i] = update;
    }
  }
  passCountedUpdates(list, scatter, batch);
  passWrittenRanges(list, scatter, inserted);
  return list.take();
}

}  // namespace hilo
