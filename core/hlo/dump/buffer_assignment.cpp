#include "core/hlo/dump/buffer_assignment.h"

#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

std::vector<int64_t> numbers(const google::protobuf::RepeatedField<int64_t>& field) {
  return {field.begin(), field.end()};
}

using NamesById = absl::flat_hash_map<int64_t, const Instruction*>;

NamesById namesById(const Module* module) {
  NamesById names;
  if (module == nullptr) return names;
  for (const Computation* computation : module->computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (const auto id = instruction->get<Attr::UniqueId>()) names.emplace(*id, instruction);
    }
  }
  return names;
}

struct Location {
  std::string computation;
  std::string instruction;
};

Location locate(const pb::LogicalBufferProto::Location& proto, const NamesById& names) {
  Location location{proto.computation_name(), proto.instruction_name()};
  const auto found = names.find(proto.instruction_id());
  if (found == names.end()) return location;
  if (location.instruction.empty()) location.instruction = found->second->name();
  if (location.computation.empty()) location.computation = found->second->parent().name();
  return location;
}

BufferAllocation readAllocation(const pb::BufferAllocationProto& proto) {
  BufferAllocation allocation;
  allocation.index = proto.index();
  allocation.sizeBytes = proto.size();
  allocation.color = proto.color();
  allocation.isThreadLocal = proto.is_thread_local();
  allocation.isTuple = proto.is_tuple();
  allocation.isConstant = proto.is_constant();
  allocation.isEntryParameter = proto.is_entry_computation_parameter();
  allocation.maybeLiveOut = proto.maybe_live_out();
  allocation.isParameterAliasedWithOutput = proto.is_parameter_aliased_with_output();
  // What XLA calls preallocated-temp in text: planned ahead, and neither in nor out nor constant.
  allocation.isPreallocatedTemp = !allocation.isThreadLocal && !allocation.isConstant &&
                                  !allocation.isEntryParameter && !allocation.maybeLiveOut;
  if (allocation.isEntryParameter) {
    allocation.parameterNumber = proto.parameter_number();
    allocation.parameterShapeIndex = numbers(proto.parameter_shape_index());
  }
  for (const auto& assigned : proto.assigned()) {
    allocation.assigned.push_back({assigned.logical_buffer_id(), assigned.offset(), assigned.size()});
  }
  return allocation;
}

Status checkSizes(const BufferAllocation& allocation) {
  const auto refuse = [&](std::string_view what) {
    return fail("bad-buffer-assignment", fmt::format("allocation {} has {}", allocation.index, what));
  };
  if (allocation.sizeBytes < 0) return refuse("a negative size");
  for (const AssignedBuffer& assigned : allocation.assigned) {
    if (assigned.offsetBytes < 0)
      return refuse(fmt::format("value {} at a negative offset", assigned.bufferId));
    if (assigned.sizeBytes < 0) return refuse(fmt::format("value {} of a negative size", assigned.bufferId));
  }
  return {};
}

HeapTrace readTrace(const pb::HeapSimulatorTrace& proto) {
  HeapTrace trace{proto.buffer_allocation_index(), proto.whole_module_simulation(), {}};
  for (const auto& event : proto.events()) {
    trace.events.push_back({static_cast<HeapEvent::Kind>(std::clamp<int>(event.kind(), 0, 2)),
                            event.buffer_id(), event.computation_name(), event.instruction_name(),
                            event.share_with_canonical_id()});
  }
  return trace;
}

}  // namespace

const LogicalBuffer* BufferAssignment::buffer(int64_t id) const {
  const auto found = std::ranges::lower_bound(buffers, id, {}, &LogicalBuffer::id);
  return found != buffers.end() && found->id == id ? &*found : nullptr;
}

Result<BufferAssignment> readBufferAssignment(const pb::BufferAssignmentProto& proto, const Module* module) {
  BufferAssignment assignment;
  const NamesById names = namesById(module);
  for (const auto& buffer : proto.logical_buffers()) {
    const Location location = locate(buffer.defined_at(), names);
    assignment.buffers.push_back({.id = buffer.id(),
                                  .sizeBytes = buffer.size(),
                                  .computation = location.computation,
                                  .instruction = location.instruction,
                                  .shapeIndex = numbers(buffer.defined_at().shape_index()),
                                  .color = buffer.color(),
                                  .shape = {}});
  }
  std::ranges::sort(assignment.buffers, {}, &LogicalBuffer::id);
  for (const auto& allocation : proto.buffer_allocations()) {
    assignment.allocations.push_back(readAllocation(allocation));
    TRY_STATUS(checkSizes(assignment.allocations.back()));
    assignment.totalBytes += allocation.size();
  }
  for (const auto& alias : proto.buffer_aliases()) {
    assignment.aliases.push_back({alias.source_buffer_id(), locate(alias.location(), names).instruction,
                                  numbers(alias.location().shape_index())});
  }
  for (const auto& trace : proto.heap_simulator_traces()) assignment.heapTraces.push_back(readTrace(trace));
  if (!proto.peak_buffers().empty()) assignment.peakBuffers.resize(assignment.allocations.size());
  for (const auto& peak : proto.peak_buffers()) {
    const auto found = std::ranges::find(assignment.allocations, peak.index(), &BufferAllocation::index);
    if (found == assignment.allocations.end()) continue;
    assignment.peakBuffers[found - assignment.allocations.begin()] = numbers(peak.logical_buffer_ids());
  }
  return assignment;
}

}  // namespace hilo
