// gather and scatter: the dimension numbers of xla_data.proto.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

Status expectSortedDimensions(const OpView& op, std::string_view what, std::span<const int64_t> dimensions,
                              size_t rank) {
  TRY_STATUS(expectDimensions(op, what, dimensions, rank));
  if (std::ranges::is_sorted(dimensions)) return {};
  return refuse(VerifyKind::DimensionOrder,
                fmt::format("{} of {} must ascend, got {}", what, op.opcodeText, listText(dimensions)));
}

// The dimensions of the indices, with an index vector dimension of size 1 at the end when it is left out.
struct Indices {
  ArrayShape shape;
  int64_t vectorDimension = 0;
  int64_t vectorSize() const { return shape.dimensions[static_cast<size_t>(vectorDimension)].size; }
  size_t rank() const { return shape.dimensions.size(); }
};

Result<Indices> indicesOf(const OpView& op, size_t operand) {
  const Shape shape = op.operand(operand);
  if (!shape.isArray() || !isIntegral(shape.elementType())) {
    return refuse(VerifyKind::OperandType,
                  fmt::format("{} must be an integer array", operandText(op, operand)));
  }
  const int64_t vectorDimension = op.get<Attr::IndexVectorDim>().value_or(-1);
  if (vectorDimension < 0 || vectorDimension > static_cast<int64_t>(shape.rank())) {
    return refuse(VerifyKind::DimensionOutOfRange,
                  fmt::format("index_vector_dim of {} is {}, expected 0 to {} (rank of the indices)",
                              op.opcodeText, vectorDimension, shape.rank()));
  }
  Indices indices{ArrayShape(shape.elementType(), shape), vectorDimension};
  if (vectorDimension == static_cast<int64_t>(shape.rank())) indices.shape.add(1, false);
  return indices;
}

Status expectIndexMap(const OpView& op, std::string_view what, std::span<const int64_t> map,
                      const Indices& indices, size_t rank) {
  if (!sameSize(static_cast<int64_t>(map.size()), indices.vectorSize())) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("{} of {} names {} dimensions, an index vector has {} entries", what,
                              op.opcodeText, map.size(), indices.vectorSize()));
  }
  return expectDimensions(op, what, map, rank);
}

// Dimensions as the attribute `name` lists them.
struct NamedDimensions {
  std::string_view name;
  std::span<const int64_t> dimensions;
};

// Batching dimensions pair up: one of the operand, which is not among `taken`, with one of the indices, which
// is as large and holds no index vectors.
Status expectBatching(const OpView& op, Shape operand, const NamedDimensions& ofOperand,
                      const Indices& indices, const NamedDimensions& ofIndices,
                      const NamedDimensions& taken) {
  if (ofOperand.dimensions.size() != ofIndices.dimensions.size()) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("{} and {} of {} must be as many, got {} and {}", ofOperand.name, ofIndices.name,
                    op.opcodeText, ofOperand.dimensions.size(), ofIndices.dimensions.size()));
  }
  TRY_STATUS(expectSortedDimensions(op, ofOperand.name, ofOperand.dimensions, operand.rank()));
  TRY_STATUS(expectDimensions(op, ofIndices.name, ofIndices.dimensions, indices.rank()));
  for (size_t i = 0; i < ofOperand.dimensions.size(); ++i) {
    const int64_t d = ofOperand.dimensions[i], at = ofIndices.dimensions[i];
    if (contains(taken.dimensions, d)) {
      return refuse(VerifyKind::DimensionRepeated, fmt::format("{} and {} of {} both name dimension {}",
                                                               ofOperand.name, taken.name, op.opcodeText, d));
    }
    if (at == indices.vectorDimension) {
      return refuse(VerifyKind::DimensionRepeated,
                    fmt::format("{} of {} names dimension {}, which is index_vector_dim", ofIndices.name,
                                op.opcodeText, at));
    }
    const int64_t size = operand.dimension(static_cast<size_t>(d)),
                  count = indices.shape.dimensions[static_cast<size_t>(at)].size;
    if (sameSize(size, count)) continue;
    return refuse(
        VerifyKind::OperandShape,
        fmt::format("batching dimension {} of the operand of {} is {}, dimension {} of the indices {}", d,
                    op.opcodeText, size, at, count));
  }
  return {};
}

struct GatherNumbers {
  std::span<const int64_t> offset, collapsed, batching;
};

Status expectSliceSizes(const OpView& op, const GatherNumbers& n, std::span<const int64_t> sizes) {
  const Shape operand = op.operand(0);
  const size_t named = n.offset.size() + n.collapsed.size() + n.batching.size();
  if (sizes.size() != operand.rank() || sizes.size() != named) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("gather has {} slice_sizes for an operand of rank {} of which {} dimensions "
                              "are offset, collapsed or "
                              "batching; expected one number",
                              sizes.size(), operand.rank(), named));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool bounded = operand.dimension(i) != kUnboundedSize;
    if (bounded && (sizes[i] < 0 || sizes[i] > operand.dimension(i))) {
      return refuse(
          VerifyKind::AttributeInvalid,
          fmt::format("slice size {} of gather is {}, expected 0 to {}", i, sizes[i], operand.dimension(i)));
    }
    const auto at = static_cast<int64_t>(i);
    if (sizes[i] > 1 && (contains(n.collapsed, at) || contains(n.batching, at))) {
      return refuse(
          VerifyKind::AttributeInvalid,
          fmt::format(
              "slice size {} of gather is {}, but the dimension is collapsed or batching and takes at most 1",
              i, sizes[i]));
    }
  }
  return {};
}

}  // namespace

InferResult inferGather(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY(const Indices indices, indicesOf(op, 1));
  const Shape operand = op.operand(0);
  const GatherNumbers n{op.get<Attr::OffsetDims>(), op.get<Attr::CollapsedSliceDims>(),
                        op.get<Attr::OperandBatchingDims>()};
  const size_t resultRank = n.offset.size() + indices.rank() - 1;
  TRY_STATUS(expectSortedDimensions(op, "offset_dims", n.offset, resultRank));
  TRY_STATUS(expectIndexMap(op, "start_index_map", op.get<Attr::StartIndexMap>(), indices, operand.rank()));
  TRY_STATUS(expectSortedDimensions(op, "collapsed_slice_dims", n.collapsed, operand.rank()));
  TRY_STATUS(expectBatching(op, operand, {"operand_batching_dims", n.batching}, indices,
                            {"start_indices_batching_dims", op.get<Attr::StartIndicesBatchingDims>()},
                            {"collapsed_slice_dims", n.collapsed}));
  const auto sizes = op.get<Attr::SliceSizes>();
  TRY_STATUS(expectSliceSizes(op, n, sizes));
  ArrayShape result(operand.elementType());
  size_t operandDimension = 0, indexDimension = 0;
  for (size_t i = 0; i < resultRank; ++i) {
    if (contains(n.offset, static_cast<int64_t>(i))) {
      const auto skipped = [&](size_t at) {
        return contains(n.collapsed, static_cast<int64_t>(at)) ||
               contains(n.batching, static_cast<int64_t>(at));
      };
      while (skipped(operandDimension)) ++operandDimension;
      const bool whole = sizes[operandDimension] == operand.dimension(operandDimension);
      result.add(sizes[operandDimension], whole && operand.isDynamicDimension(operandDimension));
      ++operandDimension;
    } else {
      if (static_cast<int64_t>(indexDimension) == indices.vectorDimension) ++indexDimension;
      result.dimensions.push_back(indices.shape.dimensions[indexDimension++]);
    }
  }
  return result;
}

namespace {

struct ScatterNumbers {
  std::span<const int64_t> window, inserted, batching;
};

Status expectScatterNumbers(const OpView& op, const ScatterNumbers& n, const Indices& indices, Shape operand,
                            Shape updates) {
  if (updates.rank() != indices.rank() - 1 + n.window.size()) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("the updates of {} must have rank {}, got {}", op.opcodeText,
                              indices.rank() - 1 + n.window.size(), toString(updates)));
  }
  TRY_STATUS(expectSortedDimensions(op, "update_window_dims", n.window, updates.rank()));
  TRY_STATUS(expectSortedDimensions(op, "inserted_window_dims", n.inserted, operand.rank()));
  const size_t named = n.window.size() + n.inserted.size() + n.batching.size();
  if (named != operand.rank()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("the window of {} has {} dimensions, expected {} for {}", op.opcodeText, named,
                              operand.rank(), toString(operand)));
  }
  TRY_STATUS(expectIndexMap(op, "scatter_dims_to_operand_dims", op.get<Attr::ScatterDimsToOperandDims>(),
                            indices, operand.rank()));
  return expectBatching(op, operand, {"input_batching_dims", n.batching}, indices,
                        {"scatter_indices_batching_dims", op.get<Attr::ScatterIndicesBatchingDims>()},
                        {"inserted_window_dims", n.inserted});
}

// Window dimensions of the updates fit the operand; the others are those of the indices.
Status expectUpdateSizes(const OpView& op, const ScatterNumbers& n, const Indices& indices, Shape operand,
                         Shape updates) {
  absl::InlinedVector<int64_t, 6> windowSizes;
  for (size_t i = 0; i < operand.rank(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!contains(n.inserted, at) && !contains(n.batching, at)) windowSizes.push_back(operand.dimension(i));
  }
  size_t windowSeen = 0, indexDimension = 0;
  for (size_t i = 0; i < updates.rank(); ++i) {
    const int64_t size = updates.dimension(i);
    if (contains(n.window, static_cast<int64_t>(i))) {
      const int64_t limit = windowSizes[windowSeen++];
      if (limit == kUnboundedSize || size <= limit) continue;
      return refuse(VerifyKind::OperandShape,
                    fmt::format("dimension {} of the updates of {} is {}, more than the operand's {}", i,
                                op.opcodeText, size, limit));
    }
    if (static_cast<int64_t>(indexDimension) == indices.vectorDimension) ++indexDimension;
    const int64_t expected = indices.shape.dimensions[indexDimension++].size;
    if (sameSize(size, expected)) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("dimension {} of the updates of {} is {}, the indices have {} there", i,
                              op.opcodeText, size, expected));
  }
  return {};
}

}  // namespace

InferResult inferScatter(const OpView& op) {
  if (op.operands.size() < 3 || op.operands.size() % 2 == 0) {
    return refuse(VerifyKind::OperandCount,
                  fmt::format("scatter takes N operands, the indices and N updates, got {} operands",
                              op.operands.size()));
  }
  TRY_STATUS(expectArrays(op));
  const size_t count = op.operands.size() / 2;
  TRY(const Indices indices, indicesOf(op, count));
  const ScatterNumbers n{op.get<Attr::UpdateWindowDims>(), op.get<Attr::InsertedWindowDims>(),
                         op.get<Attr::InputBatchingDims>()};
  const auto operands = op.operands.first(count), updates = op.operands.subspan(count + 1);
  for (size_t i = 0; i < count; ++i) {
    TRY_STATUS(expectScatterNumbers(op, n, indices, operands[i], updates[i]));
    TRY_STATUS(expectUpdateSizes(op, n, indices, operands[i], updates[i]));
  }
  TRY(const Signature combiner, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  absl::InlinedVector<Shape, 2> scalars;
  for (Shape operand : operands) scalars.push_back(Shape::scalar(operand.elementType()));
  TRY_STATUS(expectReducer(op, combiner, std::span<const Shape>(scalars.data(), scalars.size()), updates));
  return count == 1 ? op.operand(0) : Shape::tuple(operands);
}

}  // namespace hilo
