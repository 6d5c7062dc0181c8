#include "core/compiler/buffers/buffer_table.h"

#include "core/analysis/memory/memory_profile.h"

namespace hilo {

std::string printBufferTable(const ValueLiveRanges& ranges, const BufferAssignment& plan) {
  const DataflowAnalysis& dataflow = ranges.aliases().dataflow();
  const PlanValues values(dataflow);
  absl::flat_hash_map<int64_t, const AssignedBuffer*> places;
  for (const BufferAllocation& allocation : plan.allocations) {
    for (const AssignedBuffer& assigned : allocation.assigned) places.emplace(assigned.bufferId, &assigned);
  }
  std::string text =
      "buffer_id,buffer_name,offset,size,definition_time,end_time,num_uses,use_times,use_names\n";
  for (const LogicalBuffer& buffer : plan.buffers) {
    const auto place = places.find(buffer.id);
    const std::optional<ValueId> found = values.find(buffer);
    if (place == places.end() || !found || !ranges.of(*found)) continue;
    const HloValue& value = dataflow.value(*found);
    // XLA takes a parameter to be there from its own step, and live ranges from the computation's first.
    const int64_t start = ranges.timeOf(value.instruction());
    std::vector<int64_t> times;
    std::vector<std::string> names;
    for (const HloUse& use : value.uses) {
      times.push_back(ranges.timeOf(*use.instruction));
      names.push_back(fmt::format("{}, operand {}", use.instruction->name(), use.operandNumber));
    }
    const std::string index = value.index().empty() ? "" : toString(value.index());
    text += fmt::format("{},\"<{} {}{} @{}>\",{},{},{},{},{},\"{}\",\"{}\"\n", buffer.id, buffer.id,
                        value.instruction().name(), index, buffer.color, place->second->offsetBytes,
                        place->second->sizeBytes, start, ranges.of(*found)->end, value.uses.size(),
                        fmt::join(times, ";"), fmt::join(names, ";"));
  }
  return text;
}

}  // namespace hilo
