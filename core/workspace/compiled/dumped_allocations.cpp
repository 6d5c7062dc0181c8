#include "core/workspace/compiled/dumped_allocations.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/dataflow/shape_index.h"
#include "core/runtime/program/literal_buffers.h"
#include "core/workspace/compiled/dumped_refusal.h"

namespace hilo {
namespace {

Status addConstant(const Module& module, const BufferAssignment& assignment,
                   const BufferAllocation& allocation, Program& program) {
  const LogicalBuffer* buffer =
      allocation.assigned.empty() ? nullptr : assignment.buffer(allocation.assigned[0].bufferId);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (buffer == nullptr || instruction->name() != buffer->instruction) continue;
      if (instruction->opcode() != Opcode::Constant)
        return refuseDumped(*instruction, "its allocation is a constant's");
      const Literal& value = *instruction->get<Attr::Literal>();
      if (value.isElided()) return refuseDumped(*instruction, "its values are not in the dump");
      std::vector<std::byte> bytes(static_cast<size_t>(bufferBytes(instruction->shape())));
      if (static_cast<int64_t>(bytes.size()) != allocation.sizeBytes)
        return refuseDumped(*instruction, "it takes other bytes on a GPU");
      if (!bytes.empty()) copyToBuffer(bytes.data(), value.bytes().data(), instruction->shape());
      program.allocations.push_back({.kind = AllocationKind::Constant,
                                     .sizeBytes = allocation.sizeBytes,
                                     .number = static_cast<uint32_t>(program.constants.size())});
      program.constants.emplace_back(std::span<const std::byte>(bytes));
      return {};
    }
  }
  return fail("unsupported-program",
              fmt::format("the constant of allocation {} is not in the module", allocation.index));
}

// By the number of the parameter and the path in it.
Result<uint32_t> leafOf(const Module& module, const BufferAllocation& allocation) {
  uint32_t leaf = 0;
  const auto parameters = module.entry()->parameters();
  for (int64_t p = 0; p < std::ssize(parameters); ++p) {
    const SubshapeTable parts(parameters[static_cast<size_t>(p)]->shape());
    for (const SubshapeTable::Part& part : parts.parts()) {
      if (!part.shape.isArray()) continue;
      if (p == allocation.parameterNumber && std::ranges::equal(part.index, allocation.parameterShapeIndex))
        return leaf;
      ++leaf;
    }
  }
  return fail("unsupported-program",
              fmt::format("allocation {} is of a parameter that the module has not", allocation.index));
}

}  // namespace

Status addAllocations(const Module& module, const BufferAssignment& assignment, Program& program,
                      Diagnostics& refused) {
  for (const BufferAllocation& allocation : assignment.allocations) {
    if (allocation.isConstant) {
      if (const Status added = addConstant(module, assignment, allocation, program); !added) {
        refused.push_back(added.error());
        program.allocations.push_back({.sizeBytes = allocation.sizeBytes});
      }
      continue;
    }
    Allocation& made = program.allocations.emplace_back(Allocation{.sizeBytes = allocation.sizeBytes});
    if (!allocation.isEntryParameter || allocation.isTuple) continue;
    made.kind = AllocationKind::Parameter;
    TRY(made.number, leafOf(module, allocation));
  }
  return {};
}

void copyWrittenParameters(Program& program) {
  std::vector<bool> isWritten(program.allocations.size());
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      for (const BufferUse& use : bufferUses(thunk)) {
        if (use.writes) isWritten[use.slice.allocation] = true;
      }
    }
  }
  ThunkSequence& entry = program.sequences[0];
  for (uint32_t i = 0; i < isWritten.size(); ++i) {
    Allocation& allocation = program.allocations[i];
    if (!isWritten[i] || allocation.kind != AllocationKind::Parameter) continue;
    const auto given = static_cast<uint32_t>(program.allocations.size());
    const Allocation argument = allocation;
    allocation = {.sizeBytes = argument.sizeBytes};
    program.allocations.push_back(argument);
    entry.insert(entry.begin(),
                 Thunk{.name = fmt::format("copy of argument {}", argument.number),
                       .body = CopyThunk{.source = ReadSlice({given, 0, argument.sizeBytes}),
                                         .destination = WriteSlice({i, 0, argument.sizeBytes})}});
  }
}

}  // namespace hilo
