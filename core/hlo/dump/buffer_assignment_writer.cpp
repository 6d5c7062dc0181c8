#include "core/hlo/dump/buffer_assignment_writer.h"

#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

std::string indexText(const std::vector<int64_t>& index) {
  return fmt::format("{{{}}}", fmt::join(index, ","));
}

// "407040" -> "397.5KiB", "96B", as XLA writes sizes for people.
std::string humanBytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{}B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f}{}", value, unit == 0 ? 1 : 2, kUnits[unit]);
}

std::string position(const LogicalBuffer& buffer) {
  const bool isTuple = buffer.shape.starts_with("(") || !buffer.shapeIndex.empty();
  return buffer.instruction + (isTuple ? indexText(buffer.shapeIndex) : "");
}

void printAllocation(std::string& out, const BufferAssignment& assignment,
                     const BufferAllocation& allocation) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "allocation {}: size {}", allocation.index, allocation.sizeBytes);
  if (allocation.color != 0) fmt::format_to(to, ", color {}", allocation.color);
  if (allocation.isEntryParameter) {
    fmt::format_to(to, ", parameter {}, shape |{}| at ShapeIndex {}", allocation.parameterNumber,
                   allocation.parameterShape, indexText(allocation.parameterShapeIndex));
  }
  if (allocation.isConstant) out += ", constant";
  if (allocation.isThreadLocal) out += ", thread-local";
  if (!allocation.outputShape.empty()) fmt::format_to(to, ", output shape is |{}|", allocation.outputShape);
  if (allocation.maybeLiveOut) out += ", maybe-live-out";
  if (allocation.isPreallocatedTemp) out += ", preallocated-temp";
  out += ":\n";
  for (const AssignedBuffer& assigned : allocation.assigned) {
    const LogicalBuffer* buffer = assignment.buffer(assigned.bufferId);
    if (buffer == nullptr) continue;
    fmt::format_to(to, " value: <{} {} @{}> (size={},offset={}): {}\n", buffer->id, position(*buffer),
                   buffer->color, assigned.sizeBytes, assigned.offsetBytes, buffer->shape);
  }
}

void fillLocation(pb::LogicalBufferProto::Location& location, const std::string& computation,
                  const std::string& instruction, const std::vector<int64_t>& index) {
  location.set_computation_name(computation);
  location.set_instruction_name(instruction);
  for (const int64_t element : index) location.add_shape_index(element);
}

void fillAllocation(pb::BufferAllocationProto& proto, const BufferAllocation& allocation) {
  proto.set_index(allocation.index);
  proto.set_size(allocation.sizeBytes);
  proto.set_color(allocation.color);
  proto.set_is_thread_local(allocation.isThreadLocal);
  proto.set_is_tuple(allocation.isTuple);
  proto.set_is_constant(allocation.isConstant);
  proto.set_maybe_live_out(allocation.maybeLiveOut);
  if (allocation.isEntryParameter) {
    proto.set_is_entry_computation_parameter(true);
    proto.set_parameter_number(allocation.parameterNumber);
    proto.set_is_parameter_aliased_with_output(allocation.isParameterAliasedWithOutput);
    for (const int64_t element : allocation.parameterShapeIndex) proto.add_parameter_shape_index(element);
  }
  for (const AssignedBuffer& assigned : allocation.assigned) {
    auto& entry = *proto.add_assigned();
    entry.set_logical_buffer_id(assigned.bufferId);
    entry.set_offset(assigned.offsetBytes);
    entry.set_size(assigned.sizeBytes);
  }
}

void fillTrace(pb::HeapSimulatorTrace& proto, const HeapTrace& trace) {
  proto.set_whole_module_simulation(trace.wholeModule);
  proto.set_buffer_allocation_index(trace.allocationIndex);
  for (const HeapEvent& event : trace.events) {
    auto& entry = *proto.add_events();
    entry.set_kind(static_cast<pb::HeapSimulatorTrace::Event::Kind>(event.kind));
    entry.set_buffer_id(event.bufferId);
    entry.set_computation_name(event.computation);
    entry.set_instruction_name(event.instruction);
    if (event.kind == HeapEvent::Kind::ShareWith) entry.set_share_with_canonical_id(event.sharedWithBufferId);
  }
}

}  // namespace

std::string printBufferAssignment(const BufferAssignment& assignment) {
  std::string out = "BufferAssignment:\n";
  auto to = std::back_inserter(out);
  for (const BufferAllocation& allocation : assignment.allocations)
    printAllocation(out, assignment, allocation);
  fmt::format_to(to, "\nTotal bytes used: {} ({})\n", assignment.totalBytes,
                 humanBytes(assignment.totalBytes));
  if (assignment.sequence.empty()) return out;
  fmt::format_to(to, "\nHloLiveRange (max {}):\n  InstructionSequence:\n", assignment.sequence.size());
  for (size_t i = 0; i < assignment.sequence.size(); ++i)
    fmt::format_to(to, "    {}:{}\n", i, assignment.sequence[i]);
  out += "  BufferLiveRange:\n";
  for (const BufferLiveRange& range : assignment.liveRanges) {
    fmt::format_to(to, "    {}{}:{}-{}\n", range.instruction, indexText(range.shapeIndex), range.start,
                   range.end);
  }
  return out;
}

void writeBufferAssignment(const BufferAssignment& assignment, pb::BufferAssignmentProto& proto) {
  for (const LogicalBuffer& buffer : assignment.buffers) {
    auto& entry = *proto.add_logical_buffers();
    entry.set_id(buffer.id);
    entry.set_size(buffer.sizeBytes);
    entry.set_color(buffer.color);
    fillLocation(*entry.mutable_defined_at(), buffer.computation, buffer.instruction, buffer.shapeIndex);
  }
  for (const BufferAlias& alias : assignment.aliases) {
    auto& entry = *proto.add_buffer_aliases();
    entry.set_source_buffer_id(alias.sourceBufferId);
    fillLocation(*entry.mutable_location(), "", alias.instruction, alias.shapeIndex);
  }
  for (const BufferAllocation& allocation : assignment.allocations)
    fillAllocation(*proto.add_buffer_allocations(), allocation);
  for (const HeapTrace& trace : assignment.heapTraces) fillTrace(*proto.add_heap_simulator_traces(), trace);
  for (size_t i = 0; i < assignment.peakBuffers.size(); ++i) {
    if (assignment.peakBuffers[i].empty()) continue;
    auto& peak = *proto.add_peak_buffers();
    peak.set_index(assignment.allocations[i].index);
    for (const int64_t id : assignment.peakBuffers[i]) peak.add_logical_buffer_ids(id);
  }
}

}  // namespace hilo
