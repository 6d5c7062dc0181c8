#include "core/hlo/ir/attribute_equality.h"

#include <algorithm>

namespace hilo {
namespace {

template <typename T>
bool same(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return x == y; });
}

bool same(const IotaTileAssignment& a, const IotaTileAssignment& b) {
  return same(a.reshapeDimensions, b.reshapeDimensions) &&
         same(a.transposePermutation, b.transposePermutation);
}

}  // namespace

static bool operator==(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.subPreSize == b.subPreSize && a.subSize == b.subSize;
}
static bool operator==(const MeshAxis& a, const MeshAxis& b) { return a.name == b.name && a.size == b.size; }
static bool operator==(const Mesh& a, const Mesh& b) {
  return same(a.axes, b.axes) && same(a.deviceIds, b.deviceIds) && a.hasIota == b.hasIota &&
         same(a.iota, b.iota);
}
static bool operator==(const NamedDimensionSharding& a, const NamedDimensionSharding& b) {
  return same(a.axes, b.axes) && a.isClosed == b.isClosed;
}
static bool operator==(const NamedSharding& a, const NamedSharding& b) {
  return a.mesh == b.mesh && same(a.dimensions, b.dimensions) && same(a.replicatedAxes, b.replicatedAxes) &&
         same(a.unreducedAxes, b.unreducedAxes) && same(a.manualAxes, b.manualAxes) &&
         a.reduction == b.reduction;
}
static bool operator==(const AliasEntry& a, const AliasEntry& b) {
  return same(a.outputIndex, b.outputIndex) && a.parameter == b.parameter &&
         same(a.parameterIndex, b.parameterIndex) && a.kind == b.kind;
}
static bool operator==(const BufferDonor& a, const BufferDonor& b) {
  return a.parameter == b.parameter && same(a.parameterIndex, b.parameterIndex);
}
static bool operator==(const CrossProgramPrefetch& a, const CrossProgramPrefetch& b) {
  return a.parameter == b.parameter && same(a.index, b.index) && a.offset == b.offset;
}
static bool operator==(const Window& a, const Window& b) { return same(a.dimensions, b.dimensions); }
static bool operator==(const ConvolutionDimensionNumbers& a, const ConvolutionDimensionNumbers& b) {
  return a.inputBatch == b.inputBatch && a.inputFeature == b.inputFeature &&
         same(a.inputSpatial, b.inputSpatial) && a.kernelInputFeature == b.kernelInputFeature &&
         a.kernelOutputFeature == b.kernelOutputFeature && same(a.kernelSpatial, b.kernelSpatial) &&
         a.outputBatch == b.outputBatch && a.outputFeature == b.outputFeature &&
         same(a.outputSpatial, b.outputSpatial);
}
static bool operator==(const Statistic& a, const Statistic& b) {
  return a.name == b.name && a.value == b.value;
}
static bool operator==(const StatisticsViz& a, const StatisticsViz& b) {
  return a.indexToVisualize == b.indexToVisualize && same(a.statistics, b.statistics);
}
static bool operator==(const ProgramShape& a, const ProgramShape& b) {
  return same(a.parameters, b.parameters) && a.result == b.result;
}
static bool operator==(const ResultAccuracy& a, const ResultAccuracy& b) {
  return a.hasTolerance == b.hasTolerance && a.mode == b.mode && a.atol == b.atol && a.rtol == b.rtol &&
         a.ulps == b.ulps;
}
static bool operator==(const TensorSparsity& a, const TensorSparsity& b) {
  return a.numNonZero == b.numNonZero && a.blockSize == b.blockSize && a.dimension == b.dimension &&
         a.stride == b.stride;
}
static bool operator==(const SparsityConfig& a, const SparsityConfig& b) {
  return a.lhs == b.lhs && a.rhs == b.rhs;
}
static bool operator==(const OriginalValueNode& a, const OriginalValueNode& b) {
  return a.isTuple == b.isTuple && a.hasArray == b.hasArray && a.instruction == b.instruction &&
         same(a.shapeIndex, b.shapeIndex) && same(a.elements, b.elements);
}
static bool operator==(const OriginalValue& a, const OriginalValue& b) {
  return a.isSyntheticCall == b.isSyntheticCall && a.root == b.root;
}
static bool operator==(const OpaqueAttribute& a, const OpaqueAttribute& b) {
  return a.name == b.name && a.text == b.text;
}
static bool operator==(const Domain& a, const Domain& b) {
  return a.kind == b.kind && a.entry == b.entry && a.exit == b.exit;
}

bool operator==(const OpMetadata& a, const OpMetadata& b) {
  return a.opType == b.opType && a.opName == b.opName && a.sourceFile == b.sourceFile &&
         a.sourceLine == b.sourceLine && a.sourceEndLine == b.sourceEndLine &&
         a.sourceColumn == b.sourceColumn && a.sourceEndColumn == b.sourceEndColumn &&
         a.stackFrameId == b.stackFrameId && same(a.profileType, b.profileType) &&
         a.deduplicatedName == b.deduplicatedName && a.schedulingName == b.schedulingName &&
         a.payload == b.payload && a.sizeOfGeneratedCodeInBytes == b.sizeOfGeneratedCodeInBytes &&
         a.sizeOfMemoryWorkingSetInBytes == b.sizeOfMemoryWorkingSetInBytes;
}

bool operator==(const Sharding& a, const Sharding& b) {
  const bool sameNamed =
      a.named == b.named || (a.named != nullptr && b.named != nullptr && *a.named == *b.named);
  return a.type == b.type && a.maximalDevice == b.maximalDevice && same(a.tileDimensions, b.tileDimensions) &&
         a.hasIota == b.hasIota && same(a.iota, b.iota) && same(a.devices, b.devices) &&
         a.replicateOnLastTileDim == b.replicateOnLastTileDim && same(a.subgroupTypes, b.subgroupTypes) &&
         a.shardGroup == b.shardGroup && a.shardGroupId == b.shardGroupId && same(a.elements, b.elements) &&
         same(a.metadata, b.metadata) && sameNamed;
}

bool operator==(const ReplicaGroups& a, const ReplicaGroups& b) {
  const auto sameGroup = [](std::span<const int64_t> x, std::span<const int64_t> y) { return same(x, y); };
  return a.form == b.form && std::ranges::equal(a.groups, b.groups, sameGroup) &&
         a.groupCount == b.groupCount && a.groupSize == b.groupSize && same(a.iota, b.iota) &&
         a.mesh == b.mesh && same(a.axes, b.axes);
}

namespace {

template <typename T>
bool sameAs(const Attribute& a, const Attribute& b) {
  const T x = attr_detail::unpack<T>(a);
  const T y = attr_detail::unpack<T>(b);
  if constexpr (std::is_same_v<T, std::span<const std::span<const int64_t>>>) {
    return std::ranges::equal(x, y, [](auto p, auto q) { return std::ranges::equal(p, q); });
  } else if constexpr (attr_detail::IsSpan<T>::value) {
    return std::ranges::equal(x, y, [](const auto& p, const auto& q) { return p == q; });
  } else if constexpr (std::is_pointer_v<T> && !std::is_same_v<T, Computation*>) {
    return x == y || (x != nullptr && y != nullptr && *x == *y);
  } else {
    return x == y;
  }
}

}  // namespace

bool sameValue(const Attribute& a, const Attribute& b) {
  if (a.key != b.key) return false;
  switch (a.key) {
#define ATTRIBUTE(name, ...) \
  case Attr::name:           \
    return sameAs<AttrTraits<Attr::name>::Type>(a, b);
#include "core/hlo/ir/attributes.def"
  }
  return false;
}

bool affectsMeaning(Attr attr) {
  switch (attr) {
    case Attr::Metadata:
    case Attr::Origin:
    case Attr::FrontendAttributes:
    case Attr::Statistics:
    case Attr::ControlPredecessors:
    case Attr::ParameterReplication:
    case Attr::UniqueId:
    case Attr::UnknownFields:
      return false;
    default:
      return true;
  }
}

bool sameMeaning(const Instruction& a, const Instruction& b) {
  const auto covers = [](const Instruction& x, const Instruction& y) {
    return std::ranges::all_of(x.attributes(), [&](const Attribute& attribute) {
      if (!affectsMeaning(attribute.key)) return true;
      const Attribute* other = y.find(attribute.key);
      return other != nullptr && sameValue(attribute, *other);
    });
  };
  return a.opcode() == b.opcode() && covers(a, b) && covers(b, a);
}

}  // namespace hilo
