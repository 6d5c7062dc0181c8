#include "core/workspace/compiled/dumped_buffers.h"

#include <fmt/format.h>

namespace hilo {
namespace {

std::string keyOf(std::string_view instruction, const ShapeIndex& index) {
  return fmt::format("{}{}", instruction, toString(index));
}

}  // namespace

Result<DumpedBuffers> DumpedBuffers::make(const Module& module, BufferAssignment assignment) {
  TRY(DataflowAnalysis dataflow, DataflowAnalysis::run(module));
  DumpedBuffers made(std::move(dataflow), std::move(assignment));
  for (uint32_t a = 0; a < made.assignment_.allocations.size(); ++a) {
    for (const AssignedBuffer& assigned : made.assignment_.allocations[a].assigned) {
      const LogicalBuffer* buffer = made.assignment_.buffer(assigned.bufferId);
      if (buffer == nullptr) continue;
      made.sliceOf_[keyOf(buffer->instruction, shapeIndexOf(buffer->shapeIndex))] = {a, assigned.offsetBytes,
                                                                                     assigned.sizeBytes};
    }
  }
  return made;
}

Result<BufferSlice> DumpedBuffers::sliceOf(const Instruction& instruction, const ShapeIndex& index) const {
  std::optional<BufferSlice> found;
  for (const ValueId id : dataflow_.valuesAt(instruction, index)) {
    const HloValue& value = dataflow_.value(id);
    const auto slice = sliceOf_.find(keyOf(value.instruction().name(), value.index()));
    if (slice == sliceOf_.end() || (found && *found != slice->second)) {
      found.reset();
      break;
    }
    found = slice->second;
  }
  if (found) return *found;
  return fail("unsupported-program", fmt::format("the buffer assignment does not say where %{}{} lies",
                                                 instruction.name(), toString(index)));
}

Result<std::vector<BufferSlice>> DumpedBuffers::slicesOf(const Instruction& instruction) const {
  std::vector<BufferSlice> slices;
  for (const SubshapeTable::Part& part : dataflow_.subshapes(instruction).parts()) {
    if (!part.shape.isArray()) continue;
    TRY(const BufferSlice slice, sliceOf(instruction, part.index));
    slices.push_back(slice);
  }
  return slices;
}

}  // namespace hilo
