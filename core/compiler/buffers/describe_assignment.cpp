#include "core/compiler/buffers/describe_assignment.h"

namespace hilo {
namespace {

void describeValues(const ValueLiveRanges& ranges, const std::vector<int64_t>& colors, int64_t pointerBytes,
                    BufferAssignment& plan) {
  const AliasAnalysis& aliases = ranges.aliases();
  for (const HloValue& v : aliases.dataflow().values()) {
    plan.buffers.push_back({.id = v.id.value,
                            .sizeBytes = bufferBytes(v.shape, pointerBytes),
                            .computation = std::string(v.instruction().parent().name()),
                            .instruction = std::string(v.instruction().name()),
                            .shapeIndex = {v.index().begin(), v.index().end()},
                            .color = colors[aliases.bufferOf(v.id).id.value],
                            .shape = toString(v.shape)});
    // Positions that other instructions share with where a value is made.
    for (size_t i = 1; i < v.positions.size(); ++i) {
      plan.aliases.push_back({v.id.value,
                              std::string(v.positions[i].instruction->name()),
                              {v.positions[i].index.begin(), v.positions[i].index.end()}});
    }
  }
}

void describeTimes(const ValueLiveRanges& ranges, BufferAssignment& plan) {
  for (const Instruction* instruction : ranges.sequence()) plan.sequence.emplace_back(instruction->name());
  for (const HloValue& v : ranges.aliases().dataflow().values()) {
    if (const auto& range = ranges.of(v.id)) {
      plan.liveRanges.push_back({std::string(v.instruction().name()),
                                 {v.index().begin(), v.index().end()},
                                 range->start,
                                 range->end});
    }
  }
}

const HloValue& valueOf(const AssignedBuffer& assigned, const DataflowAnalysis& dataflow) {
  return dataflow.value({static_cast<uint32_t>(assigned.bufferId)});
}

// Where values only follow each other, the last of the largest.
std::vector<int64_t> largestOf(const BufferAllocation& facts, const DataflowAnalysis& dataflow,
                               int64_t pointerBytes) {
  const auto bytes = [&](const AssignedBuffer& assigned) {
    return bufferBytes(valueOf(assigned, dataflow).shape, pointerBytes);
  };
  const AssignedBuffer* largest = nullptr;
  for (const AssignedBuffer& assigned : facts.assigned) {
    if (largest == nullptr ||
        std::pair(bytes(assigned), assigned.bufferId) > std::pair(bytes(*largest), largest->bufferId))
      largest = &assigned;
  }
  return largest == nullptr ? std::vector<int64_t>() : std::vector<int64_t>{largest->bufferId};
}

// Whether the module's result itself, no element of it, is one of the values.
bool holdsResult(const BufferAllocation& facts, const DataflowAnalysis& dataflow) {
  const Instruction* root = dataflow.module().entry()->root();
  return std::ranges::any_of(facts.assigned, [&](const AssignedBuffer& assigned) {
    return std::ranges::any_of(valueOf(assigned, dataflow).positions, [&](const HloPosition& position) {
      return position.instruction == root && position.index.empty();
    });
  });
}

}  // namespace

BufferAssignment describeAssignment(const ValueLiveRanges& ranges, PlacedBuffers placed,
                                    int64_t pointerBytes) {
  const DataflowAnalysis& dataflow = ranges.aliases().dataflow();
  BufferAssignment plan;
  plan.heapTraces = std::move(placed.heapTraces);
  plan.peakBuffers = std::move(placed.peaks);
  describeValues(ranges, placed.colors, pointerBytes, plan);
  describeTimes(ranges, plan);
  const Shape output = dataflow.module().entry()->root()->shape();
  for (size_t i = 0; i < placed.allocations.size(); ++i) {
    BufferAllocation& facts = placed.allocations[i];
    if (plan.peakBuffers[i].empty() && !facts.isPreallocatedTemp)
      plan.peakBuffers[i] = largestOf(facts, dataflow, pointerBytes);
    facts.index = static_cast<int64_t>(i);
    std::ranges::sort(facts.assigned, {}, &AssignedBuffer::bufferId);
    plan.totalBytes += facts.sizeBytes;
    if (facts.maybeLiveOut && holdsResult(facts, dataflow))
      facts.outputShape = toString(output.withoutLayout());
    plan.allocations.push_back(std::move(facts));
  }
  return plan;
}

void describeParameter(BufferAllocation& facts, const Instruction& parameter, const ShapeIndex& index) {
  facts.isEntryParameter = true;
  facts.parameterNumber = parameter.parameterNumber();
  facts.parameterShapeIndex.assign(index.begin(), index.end());
  facts.parameterShape = toString(subshapeAt(parameter.shape(), index)->withoutLayout());
  facts.isParameterAliasedWithOutput = std::ranges::any_of(
      parameter.parent().module().get<Attr::InputOutputAlias>(), [&](const AliasEntry& alias) {
        return alias.parameter == facts.parameterNumber && std::ranges::equal(alias.parameterIndex, index);
      });
}

}  // namespace hilo
