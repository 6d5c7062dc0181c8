#include "core/hlo/ir/payloads.h"

namespace hilo {

Window copyInto(Arena& arena, const Window& value) { return {arena.copy(value.dimensions)}; }

ConvolutionDimensionNumbers copyInto(Arena& arena, const ConvolutionDimensionNumbers& value) {
  ConvolutionDimensionNumbers copy = value;
  copy.inputSpatial = arena.copy(value.inputSpatial);
  copy.kernelSpatial = arena.copy(value.kernelSpatial);
  copy.outputSpatial = arena.copy(value.outputSpatial);
  return copy;
}

OpMetadata copyInto(Arena& arena, const OpMetadata& value) {
  OpMetadata copy = value;
  copy.opType = arena.copy(value.opType);
  copy.opName = arena.copy(value.opName);
  copy.sourceFile = arena.copy(value.sourceFile);
  copy.profileType = arena.copy(value.profileType);
  copy.deduplicatedName = arena.copy(value.deduplicatedName);
  copy.schedulingName = arena.copy(value.schedulingName);
  copy.payload = arena.copy(value.payload);
  return copy;
}

StatisticsViz copyInto(Arena& arena, const StatisticsViz& value) {
  auto statistics = arena.allocateArray<Statistic>(value.statistics.size());
  for (size_t i = 0; i < statistics.size(); ++i) {
    new (&statistics[i]) Statistic{arena.copy(value.statistics[i].name), value.statistics[i].value};
  }
  return {value.indexToVisualize, statistics};
}

ProgramShape copyInto(Arena& arena, const ProgramShape& value) {
  return {arena.copy(value.parameters), value.result};
}

namespace {
OriginalValueNode copyNode(Arena& arena, const OriginalValueNode& node) {
  OriginalValueNode copy = node;
  copy.instruction = arena.copy(node.instruction);
  copy.shapeIndex = arena.copy(node.shapeIndex);
  auto elements = arena.allocateArray<OriginalValueNode>(node.elements.size());
  for (size_t i = 0; i < elements.size(); ++i)
    new (&elements[i]) OriginalValueNode(copyNode(arena, node.elements[i]));
  copy.elements = elements;
  return copy;
}
}  // namespace

OriginalValue copyInto(Arena& arena, const OriginalValue& value) {
  return {value.isSyntheticCall, copyNode(arena, value.root)};
}

OpaqueAttribute copyInto(Arena& arena, const OpaqueAttribute& value) {
  return {arena.copy(value.name), arena.copy(value.text)};
}

AliasEntry copyInto(Arena& arena, const AliasEntry& value) {
  return {arena.copy(value.outputIndex), value.parameter, arena.copy(value.parameterIndex), value.kind};
}

BufferDonor copyInto(Arena& arena, const BufferDonor& value) {
  return {value.parameter, arena.copy(value.parameterIndex)};
}

CrossProgramPrefetch copyInto(Arena& arena, const CrossProgramPrefetch& value) {
  return {value.parameter, arena.copy(value.index), value.offset};
}

FrontendAttribute copyInto(Arena& arena, const FrontendAttribute& value) {
  return {arena.copy(value.name), arena.copy(value.value)};
}

}  // namespace hilo
