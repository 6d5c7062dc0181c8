// Collectives: result shapes, and who takes part (replica group modes as in XLA's collective_ops_utils.cc).
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

std::string_view groupModeText(GroupMode mode) {
  switch (mode) {
    case GroupMode::CrossReplica:
      return "cross-replica";
    case GroupMode::CrossPartition:
      return "cross-partition";
    case GroupMode::CrossReplicaAndPartition:
      return "cross-replica-and-partition";
    case GroupMode::FlattenedId:
      return "flattened-id";
  }
  return "";
}

Result<GroupMode> groupMode(const OpView& op) {
  const bool hasChannel = op.attributes.has(Attr::ChannelId);
  switch (op.opcode) {
    case Opcode::AllGather:
    case Opcode::AllGatherStart:
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
      break;
    default:
      return hasChannel ? GroupMode::CrossPartition : GroupMode::CrossReplica;
  }
  if (!op.get<Attr::UseGlobalDeviceIds>().value_or(false)) {
    return hasChannel ? GroupMode::CrossReplicaAndPartition : GroupMode::CrossReplica;
  }
  if (hasChannel) return GroupMode::FlattenedId;
  return refuse(VerifyKind::AttributeInvalid,
                fmt::format("{} has use_global_device_ids but no channel_id", op.opcodeText));
}

namespace {

// Size of the first written group; 0 when none is written.
int64_t firstGroupSize(const ReplicaGroups* groups) {
  if (groups == nullptr) return 0;
  switch (groups->form) {
    case ReplicaGroups::Form::List:
      return groups->groups.empty() ? 0 : static_cast<int64_t>(groups->groups[0].size());
    case ReplicaGroups::Form::Iota:
      return groups->groupSize;
    case ReplicaGroups::Form::MeshAxes: {
      const auto expanded = expandReplicaGroups(*groups);
      return expanded.empty() ? 0 : static_cast<int64_t>(expanded[0].size());
    }
  }
  return 0;
}

}  // namespace

int64_t subgroupSize(const OpView& op, GroupMode mode) {
  int64_t size = firstGroupSize(op.get<Attr::ReplicaGroups>());
  if (size == 0) size = mode == GroupMode::CrossPartition ? op.partitionCount : op.replicaCount;
  if (mode == GroupMode::CrossReplicaAndPartition)
    size = multiplySizes(size, op.partitionCount).value_or(size);
  return std::max<int64_t>(size, 1);
}

namespace {

// The result of a collective on several arrays is one array or a tuple of them.
Shape oneOrTuple(std::span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes);
}

// Devices an all-gather or reduce-scatter spreads over: by the written shapes when they say, else by the
// groups. The two agree unless the groups say 1 (no device count known).
Result<int64_t> shardCount(const OpView& op, int64_t whole, int64_t part) {
  TRY(const GroupMode mode, groupMode(op));
  const int64_t groupSize = subgroupSize(op, mode);
  if (whole == kUnboundedSize || part == kUnboundedSize || part <= 0 || whole <= 0) return groupSize;
  const int64_t shards = whole / part + (whole % part != 0);
  if (groupSize == 1 || groupSize == shards) return shards;
  return refuse(VerifyKind::ReplicaGroups,
                fmt::format("{} goes from {} to {} elements a device, over {} devices by its shapes but {} "
                            "by its replica groups",
                            op.opcodeText, std::min(whole, part), std::max(whole, part), shards, groupSize));
}

// The declared result of operand `i`, or null when the declaration has not that form.
const Shape* declaredResult(const OpView& op, bool isStart, size_t i) {
  if (!op.declared) return nullptr;
  const Shape* results = &*op.declared;
  if (isStart) {
    if (results->tupleShapes().size() < 2) return nullptr;
    results = &results->tupleShapes()[1];
  }
  if (op.operands.size() == 1) return results->isArray() ? results : nullptr;
  return i < results->tupleShapes().size() ? &results->tupleShapes()[i] : nullptr;
}

// Torch/XLA hands a scalar along as a token: it has no dimension to gather or scatter and stays as it is.
bool ridesAlong(const OpView& op, Shape operand) { return op.operands.size() > 1 && operand.isScalar(); }

}  // namespace

InferResult inferAllGather(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  const bool isStart = op.opcode == Opcode::AllGatherStart;
  TRY(const int64_t dimension, singleDimension(op, op.operand(0).rank()));
  const auto at = static_cast<size_t>(dimension);
  const int64_t part = op.operand(0).dimension(at);
  const Shape* declared = declaredResult(op, isStart, 0);
  const bool known = declared != nullptr && declared->isArray() && at < declared->rank();
  TRY(const int64_t shards, shardCount(op, known ? declared->dimension(at) : kUnboundedSize, part));
  absl::InlinedVector<Shape, 1> results;
  for (Shape operand : op.operands) {
    if (ridesAlong(op, operand)) {
      results.push_back(operand);
      continue;
    }
    TRY_STATUS(expectDimensions(op, "dimensions", std::span(&dimension, 1), operand.rank()));
    const int64_t size = operand.dimension(at);
    const auto gathered = size == kUnboundedSize ? size : multiplySizes(size, shards);
    if (!gathered)
      return refuse(VerifyKind::OperandShape,
                    fmt::format("{} of {} is too large", op.opcodeText, toString(operand)));
    ArrayShape result(operand.elementType(), operand);
    result.dimensions[at] = {*gathered, size == kUnboundedSize};
    if (op.operands.size() == 1 && !isStart) return result;
    results.push_back(result.intern());
  }
  const std::span<const Shape> all(results.data(), results.size());
  if (!isStart) return Shape::tuple(all);
  const Shape pair[] = {oneOrTuple(op.operands), oneOrTuple(all)};
  return Shape::tuple(pair);
}

InferResult inferAllReduce(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  return oneOrTuple(op.operands);
}

InferResult inferReduceScatter(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  TRY(const int64_t dimension, singleDimension(op, op.operand(0).rank()));
  const auto at = static_cast<size_t>(dimension);
  const Shape* declared = declaredResult(op, false, 0);
  const bool known = declared != nullptr && declared->isArray() && at < declared->rank();
  TRY(const int64_t shards,
      shardCount(op, op.operand(0).dimension(at), known ? declared->dimension(at) : kUnboundedSize));
  absl::InlinedVector<Shape, 1> results;
  for (Shape operand : op.operands) {
    if (ridesAlong(op, operand)) {
      results.push_back(operand);
      continue;
    }
    TRY_STATUS(expectDimensions(op, "dimensions", std::span(&dimension, 1), operand.rank()));
    const int64_t size = operand.dimension(at);
    if (size != kUnboundedSize && size % shards != 0) {
      return refuse(
          VerifyKind::OperandShape,
          fmt::format("dimension {} of {} must be a multiple of {} devices", at, toString(operand), shards));
    }
    ArrayShape result(operand.elementType(), operand);
    if (size != kUnboundedSize) result.dimensions[at].size = size / shards;
    if (op.operands.size() == 1) return result;
    results.push_back(result.intern());
  }
  return Shape::tuple(std::span<const Shape>(results.data(), results.size()));
}

InferResult inferAllToAll(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  TRY(const GroupMode mode, groupMode(op));
  const int64_t splits = subgroupSize(op, mode);
  const Shape first = op.operand(0);
  if (op.attributes.has(Attr::Dimensions)) {
    TRY_STATUS(expectOperands(op, 1));
    TRY(const int64_t dimension, singleDimension(op, first.rank()));
    const int64_t size = first.dimension(static_cast<size_t>(dimension));
    if (size == kUnboundedSize || size % splits == 0) return first;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("dimension {} of {} must be a multiple of the {} devices it is split over",
                              dimension, operandText(op, 0), splits));
  }
  if (static_cast<int64_t>(op.operands.size()) != splits) {
    return refuse(VerifyKind::OperandCount, fmt::format("{} takes one operand a device: expected {}, got {}",
                                                        op.opcodeText, splits, op.operands.size()));
  }
  for (size_t i = 1; i < op.operands.size(); ++i) {
    if (compatible(first, op.operand(i))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must have the shape of operand 0, {}",
                                                        operandText(op, i), toString(first)));
  }
  return Shape::tuple(op.operands);
}

InferResult inferRaggedAllToAll(const OpView& op) {
  TRY_STATUS(expectArrays(op));
  for (size_t i = 2; i < op.operands.size(); ++i) {
    const Shape sizes = op.operand(i);
    if ((sizes.rank() == 1 || sizes.rank() == 2) && compatible(sizes, op.operand(2))) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} must have rank 1 or 2 and the shape of the other offsets and sizes",
                              operandText(op, i)));
  }
  return op.operand(1);
}

InferResult inferCollectiveBroadcast(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  TRY_STATUS(expectArrays(op));
  if (!op.get<Attr::HasDynamicRoot>().value_or(false)) return oneOrTuple(op.operands);
  TRY_STATUS(expectOperandsAtLeast(op, 2));
  const auto data = op.operands.first(op.operands.size() - 1);
  const Shape root = op.operands.back();
  if (root.elementType() == ElementType::S32 && root.rank() == 1 &&
      root.elementCount() == static_cast<int64_t>(data.size())) {
    return oneOrTuple(data);
  }
  return refuse(VerifyKind::OperandShape, fmt::format("{} says the root of each value and must be s32[{}]",
                                                      operandText(op, data.size()), data.size()));
}

namespace {

// Permutes of slices take source, destination and the offsets in each.
bool isInPlace(const OpView& op) { return op.attributes.has(Attr::SliceSizesList); }

// An offset is a tuple with one number a dimension, or a tuple of such tuples.
bool isOffsetInto(Shape buffer, Shape offset) {
  const auto parts = offset.tupleShapes();
  if (!offset.isTuple()) return false;
  if (std::ranges::all_of(parts, &Shape::isTuple) && !parts.empty()) {
    return std::ranges::all_of(parts, [&](Shape part) { return part.tupleShapes().size() == buffer.rank(); });
  }
  return std::ranges::all_of(parts, &Shape::isArray) && parts.size() == buffer.rank();
}

bool areOffsetsInto(Shape buffers, Shape offsets) {
  if (buffers.isArray()) return isOffsetInto(buffers, offsets);
  return offsets.isTuple() && std::ranges::equal(buffers.tupleShapes(), offsets.tupleShapes(), isOffsetInto);
}

Status expectInPlace(const OpView& op) {
  TRY_STATUS(expectOperands(op, 4));
  const Shape input = op.operand(0), output = op.operand(1);
  const bool paired =
      (input.isArray() && output.isArray()) ||
      (input.isTuple() && output.isTuple() && input.tupleShapes().size() == output.tupleShapes().size());
  if (!paired) {
    return refuse(VerifyKind::OperandShape,
                  fmt::format("{} of slices goes from {} to {}, expected as many buffers on both sides",
                              op.opcodeText, toString(input), toString(output)));
  }
  for (size_t i = 0; i < 2; ++i) {
    if (areOffsetsInto(op.operand(i), op.operand(i + 2))) continue;
    return refuse(VerifyKind::OperandShape, fmt::format("{} must give an offset into each dimension of {}",
                                                        operandText(op, i + 2), toString(op.operand(i))));
  }
  return {};
}

}  // namespace

InferResult inferCollectivePermute(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  if (isInPlace(op)) {
    TRY_STATUS(expectInPlace(op));
    return op.operand(1);
  }
  TRY_STATUS(expectArrays(op));
  return oneOrTuple(op.operands);
}

InferResult inferCollectivePermuteStart(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  std::vector<Shape> parts;
  if (isInPlace(op)) {
    TRY_STATUS(expectInPlace(op));
    parts = {op.operand(0), op.operand(1)};
  } else {
    TRY_STATUS(expectArrays(op));
    parts = {oneOrTuple(op.operands), oneOrTuple(op.operands)};
  }
  // What else the start holds is the backend's own.
  if (op.declared && op.declared->tupleShapes().size() > 2) {
    const auto context = op.declared->tupleShapes().subspan(2);
    parts.insert(parts.end(), context.begin(), context.end());
  }
  return Shape::tuple(parts);
}

}  // namespace hilo
