// dot, ragged-dot and scaled-dot.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

struct DotDimensions {
  std::span<const int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
};

bool contains(std::span<const int64_t> list, size_t value) {
  return std::ranges::find(list, static_cast<int64_t>(value)) != list.end();
}

// Batch and contracting dimensions of one side: in range, and all different.
Status expectSide(const OpView& op, std::string_view side, std::span<const int64_t> batch,
                  std::span<const int64_t> contracting, size_t rank) {
  TRY_STATUS(expectDimensions(op, fmt::format("{}_batch_dims", side), batch, rank));
  TRY_STATUS(expectDimensions(op, fmt::format("{}_contracting_dims", side), contracting, rank));
  for (int64_t dimension : contracting) {
    if (std::ranges::find(batch, dimension) == batch.end()) continue;
    return refuse(VerifyKind::DimensionRepeated,
                  fmt::format("dimension {} of the {} of {} is both batch and contracting", dimension, side,
                              op.opcodeText));
  }
  return {};
}

Status expectPairs(const OpView& op, std::string_view what, std::span<const int64_t> lhsDimensions,
                   std::span<const int64_t> rhsDimensions) {
  if (lhsDimensions.size() != rhsDimensions.size()) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("{} has {} {} dimensions on the left and {} on the right", op.opcodeText,
                              lhsDimensions.size(), what, rhsDimensions.size()));
  }
  for (size_t i = 0; i < lhsDimensions.size(); ++i) {
    const int64_t a = op.operand(0).dimension(static_cast<size_t>(lhsDimensions[i]));
    const int64_t b = op.operand(1).dimension(static_cast<size_t>(rhsDimensions[i]));
    if (sameSize(a, b)) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} dimension {} of {} has size {}, dimension {} of {} has size {}", what,
                              lhsDimensions[i], toString(op.operand(0)), a, rhsDimensions[i],
                              toString(op.operand(1)), b));
  }
  return {};
}

Result<DotDimensions> dotDimensions(const OpView& op) {
  TRY_STATUS(expectArray(op, 0));
  TRY_STATUS(expectArray(op, 1));
  const DotDimensions d{op.get<Attr::LhsBatchDims>(), op.get<Attr::RhsBatchDims>(),
                        op.get<Attr::LhsContractingDims>(), op.get<Attr::RhsContractingDims>()};
  TRY_STATUS(expectSide(op, "lhs", d.lhsBatch, d.lhsContracting, op.operand(0).rank()));
  TRY_STATUS(expectSide(op, "rhs", d.rhsBatch, d.rhsContracting, op.operand(1).rank()));
  TRY_STATUS(expectPairs(op, "contracting", d.lhsContracting, d.rhsContracting));
  TRY_STATUS(expectPairs(op, "batch", d.lhsBatch, d.rhsBatch));
  return d;
}

ElementType dotType(const OpView& op) {
  if (op.declared && op.declared->isArray()) return op.declared->elementType();
  return higherPrecision(op.operand(0).elementType(), op.operand(1).elementType());
}

// Batch dimensions, then what is left of the left side, then of the right side.
void addDotDimensions(const OpView& op, const DotDimensions& d, std::span<const int64_t> rhsGroup,
                      ArrayShape& result) {
  const Shape lhs = op.operand(0), rhs = op.operand(1);
  for (int64_t dimension : d.lhsBatch) result.addFrom(lhs, static_cast<size_t>(dimension));
  for (size_t i = 0; i < lhs.rank(); ++i) {
    if (!contains(d.lhsContracting, i) && !contains(d.lhsBatch, i)) result.addFrom(lhs, i);
  }
  for (size_t i = 0; i < rhs.rank(); ++i) {
    if (!contains(d.rhsContracting, i) && !contains(d.rhsBatch, i) && !contains(rhsGroup, i))
      result.addFrom(rhs, i);
  }
}

enum class RaggedMode : uint8_t { NonContracting, Contracting, Batch };

// Group sizes are either one list, or one list for each place along the left dimensions that come before the
// ragged one in the order of the dot's result.
Status expectGroupSizes(const OpView& op, const DotDimensions& d, RaggedMode mode, int64_t ragged) {
  const Shape lhs = op.operand(0), groups = op.operand(2);
  if (groups.rank() == 1) return {};
  std::vector<int64_t> before(d.lhsBatch.begin(), d.lhsBatch.end());
  if (mode == RaggedMode::Contracting)
    before.insert(before.end(), d.lhsContracting.begin(), d.lhsContracting.end());
  for (size_t i = 0; mode == RaggedMode::NonContracting && i < lhs.rank(); ++i) {
    if (!contains(d.lhsBatch, i) && !contains(d.lhsContracting, i)) before.push_back(static_cast<int64_t>(i));
  }
  before.erase(std::ranges::find(before, ragged), before.end());
  std::vector<int64_t> expected;
  for (int64_t dimension : before) expected.push_back(lhs.dimension(static_cast<size_t>(dimension)));
  const bool fits = groups.rank() == expected.size() + 1 &&
                    std::ranges::equal(expected, groups.dimensions().first(expected.size()));
  if (fits) return {};
  return refuse(VerifyKind::OperandShape, fmt::format("{} must have rank 1, or the sizes {} and one more",
                                                      operandText(op, 2), listText(expected)));
}

Status expectRhsGroup(const OpView& op, const DotDimensions& d, RaggedMode mode) {
  const auto group = op.get<Attr::RhsGroupDims>();
  TRY_STATUS(expectDimensions(op, "rhs_group_dims", group, op.operand(1).rank()));
  for (int64_t dimension : group) {
    if (contains(d.rhsBatch, static_cast<size_t>(dimension)) ||
        contains(d.rhsContracting, static_cast<size_t>(dimension))) {
      return refuse(VerifyKind::DimensionRepeated,
                    fmt::format("rhs_group_dims of {} names dimension {}, which is batch or contracting",
                                op.opcodeText, dimension));
    }
  }
  const size_t expected = mode == RaggedMode::NonContracting ? 1 : 0;
  if (group.size() != expected) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("{} must name {} rhs_group_dims for its ragged dimension, got {}",
                              op.opcodeText, expected, listText(group)));
  }
  if (expected == 0) return {};
  const int64_t groupCount = op.operand(2).dimensions().back();
  const int64_t size = op.operand(1).dimension(static_cast<size_t>(group[0]));
  if (sameSize(size, groupCount)) return {};
  return refuse(VerifyKind::OperandShape,
                fmt::format("dimension {} of {} must have one entry a group: expected {}, got {}", group[0],
                            operandText(op, 1), groupCount, size));
}

// A scale of one bf16 element for a bf16 operand says "not scaled".
bool isNoScale(Shape operand, Shape scale) {
  return scale.elementType() == ElementType::BF16 && operand.elementType() == ElementType::BF16 &&
         std::ranges::all_of(scale.dimensions(), [](int64_t size) { return size == 1; }) &&
         std::ranges::any_of(operand.dimensions(), [](int64_t size) { return size != 1; });
}

Status expectScale(const OpView& op, size_t operandIndex, std::span<const int64_t> contracting) {
  const size_t scaleIndex = operandIndex + 2;
  const Shape operand = op.operand(operandIndex), scale = op.operand(scaleIndex);
  TRY_STATUS(expectArray(op, scaleIndex));
  if (isNoScale(operand, scale)) return {};
  if (scale.rank() != operand.rank()) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must have the rank of {}", operandText(op, scaleIndex),
                              operandText(op, operandIndex)));
  }
  if (contracting.size() != 1) {
    return refuse(VerifyKind::AttributeInvalid, fmt::format("{} with scales contracts one dimension, got {}",
                                                            op.opcodeText, listText(contracting)));
  }
  for (size_t i = 0; i < operand.rank(); ++i) {
    const int64_t size = operand.dimension(i), scaleSize = scale.dimension(i);
    if (scaleSize > 0 && size % scaleSize == 0) continue;
    if (size == kUnboundedSize || scaleSize == kUnboundedSize) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("dimension {} of {} must be a multiple of that of {}", i,
                              operandText(op, operandIndex), operandText(op, scaleIndex)));
  }
  return {};
}

}  // namespace

InferResult inferDot(const OpView& op) {
  TRY(const DotDimensions d, dotDimensions(op));
  ArrayShape result(dotType(op));
  addDotDimensions(op, d, {}, result);
  return result;
}

InferResult inferRaggedDot(const OpView& op) {
  TRY(const DotDimensions d, dotDimensions(op));
  TRY_STATUS(expectArray(op, 2));
  const auto raggedDims = op.get<Attr::LhsRaggedDims>();
  if (raggedDims.size() != 1) {
    return refuse(VerifyKind::AttributeInvalid, fmt::format("{} must name one of lhs_ragged_dims, got {}",
                                                            op.opcodeText, listText(raggedDims)));
  }
  TRY_STATUS(expectDimensions(op, "lhs_ragged_dims", raggedDims, op.operand(0).rank()));
  const auto ragged = static_cast<size_t>(raggedDims[0]);
  RaggedMode mode = RaggedMode::NonContracting;
  if (contains(d.lhsBatch, ragged)) mode = RaggedMode::Batch;
  if (contains(d.lhsContracting, ragged)) mode = RaggedMode::Contracting;
  const Shape groups = op.operand(2);
  if (groups.rank() == 0) {
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have rank 1 or more", operandText(op, 2)));
  }
  TRY_STATUS(expectGroupSizes(op, d, mode, raggedDims[0]));
  TRY_STATUS(expectRhsGroup(op, d, mode));
  ArrayShape result(dotType(op));
  if (mode == RaggedMode::Contracting) result.addFrom(groups, groups.rank() - 1);
  addDotDimensions(op, d, op.get<Attr::RhsGroupDims>(), result);
  return result;
}

InferResult inferScaledDot(const OpView& op) {
  TRY(const DotDimensions d, dotDimensions(op));
  TRY_STATUS(expectScale(op, 0, d.lhsContracting));
  TRY_STATUS(expectScale(op, 1, d.rhsContracting));
  if (op.operand(2).isScalar() && op.operand(3).isScalar()) {
    return refuse(VerifyKind::OperandShape, "one scale of scaled-dot must be more than a scalar");
  }
  ArrayShape result(dotType(op));
  addDotDimensions(op, d, {}, result);
  return result;
}

}  // namespace hilo
