// Rules of gathers and scatters.
#include "core/compiler/spmd/shardy/sharding_rule.h"

namespace hilo::sdy {
namespace {

using Kind = RuleFactor::Kind;

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// What gather and scatter have in common: the array that is indexed, indices, and slices (the result of a
// gather, the updates of a scatter).
struct Indexed {
  Shape array, indices, slices;
  std::span<const int64_t> offset, collapsed, arrayBatch, indexBatch;
  int64_t vector = 0;
  // Adds a factor of one dimension each, -1: none.
  std::function<void(int64_t array, int64_t index, int64_t slice, int64_t size, Kind kind, bool isBlocked)>
      add;
};

using OffsetRule = std::function<void(int64_t dimension, int64_t slice)>;

// Slices' dimensions in order: offsets belong to the array's that are neither collapsed nor batch, the others
// to the indices'.
void addSlices(const Indexed& of, Kind batchKind, const OffsetRule& addCut) {
  int64_t next = 0, batch = 0;
  for (int64_t slice = 0; slice < static_cast<int64_t>(of.slices.rank()); ++slice) {
    const int64_t size = of.slices.dimension(static_cast<size_t>(slice));
    if (contains(of.offset, slice)) {
      while (contains(of.collapsed, next) || contains(of.arrayBatch, next)) ++next;
      if (of.array.dimension(static_cast<size_t>(next)) == size) {
        of.add(next, -1, slice, size, Kind::Pass, false);
      } else {
        addCut(next, slice);
      }
      ++next;
      continue;
    }
    const int64_t index = batch < of.vector ? batch : batch + 1;
    const auto found = std::ranges::find(of.indexBatch, index);
    const bool isBatch = found != of.indexBatch.end();
    const int64_t array = isBatch ? of.arrayBatch[static_cast<size_t>(found - of.indexBatch.begin())] : -1;
    of.add(array, index, slice, size, isBatch ? Kind::Pass : batchKind, false);
    ++batch;
  }
}

void addIndexVector(const Indexed& of) {
  const auto vector = static_cast<size_t>(of.vector);
  if (vector < of.indices.rank()) of.add(-1, of.vector, -1, of.indices.dimension(vector), Kind::Whole, false);
}

}  // namespace

std::optional<ShardingRule> gatherRule(const Instruction& gather) {
  RuleBuilder builder(gather);
  const Indexed of{.array = gather.operand(0)->shape(),
                   .indices = gather.operand(1)->shape(),
                   .slices = gather.shape(),
                   .offset = gather.get<Attr::OffsetDims>(),
                   .collapsed = gather.get<Attr::CollapsedSliceDims>(),
                   .arrayBatch = gather.get<Attr::OperandBatchingDims>(),
                   .indexBatch = gather.get<Attr::StartIndicesBatchingDims>(),
                   .vector = gather.get<Attr::IndexVectorDim>().value_or(0),
                   .add = [&](int64_t array, int64_t index, int64_t slice, int64_t size, Kind kind,
                              bool isBlocked) { builder.add({array, index}, slice, size, kind, isBlocked); }};
  addSlices(of, Kind::Pass, [&](int64_t dimension, int64_t slice) {
    const int64_t size = of.array.dimension(static_cast<size_t>(dimension));
    if (of.slices.dimension(static_cast<size_t>(slice)) != 1) {
      of.add(dimension, -1, slice, size, Kind::Whole, true);
      return;
    }
    of.add(dimension, -1, -1, size, Kind::Sum, false);
    of.add(-1, -1, slice, 1, Kind::Whole, false);
  });
  for (int64_t dimension : of.collapsed) {
    const int64_t size = of.array.dimension(static_cast<size_t>(dimension));
    of.add(dimension, -1, -1, size, size == 1 ? Kind::Whole : Kind::Sum, false);
  }
  addIndexVector(of);
  return builder.take();
}

std::optional<ShardingRule> scatterRule(const Instruction& scatter) {
  RuleBuilder builder(scatter);
  const size_t arrays = scatter.operandCount() / 2;
  const Indexed of{
      .array = scatter.operand(0)->shape(),
      .indices = scatter.operand(arrays)->shape(),
      .slices = scatter.operand(arrays + 1)->shape(),
      .offset = scatter.get<Attr::UpdateWindowDims>(),
      .collapsed = scatter.get<Attr::InsertedWindowDims>(),
      .arrayBatch = scatter.get<Attr::InputBatchingDims>(),
      .indexBatch = scatter.get<Attr::ScatterIndicesBatchingDims>(),
      .vector = scatter.get<Attr::IndexVectorDim>().value_or(0),
      .add = [&](int64_t array, int64_t index, int64_t slice, int64_t size, Kind kind, bool isBlocked) {
        std::vector<int64_t> operands(arrays, array);
        operands.push_back(index);
        operands.insert(operands.end(), arrays, slice);
        builder.add(operands, std::vector<int64_t>(arrays, array), size, kind, isBlocked);
      }};
  const bool isSum = plainCombiner(scatter.get<Attr::ToApply>()).has_value();
  addSlices(of, isSum ? Kind::Sum : Kind::Whole, [&](int64_t dimension, int64_t slice) {
    of.add(dimension, -1, -1, of.array.dimension(static_cast<size_t>(dimension)), Kind::Whole, false);
    of.add(-1, -1, slice, of.slices.dimension(static_cast<size_t>(slice)), Kind::Whole, false);
  });
  for (int64_t dimension : of.collapsed)
    of.add(dimension, -1, -1, of.array.dimension(static_cast<size_t>(dimension)), Kind::Pass, false);
  addIndexVector(of);
  return builder.take();
}

}  // namespace hilo::sdy
