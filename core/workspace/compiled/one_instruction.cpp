#include "core/workspace/compiled/one_instruction.h"

#include <fmt/format.h>

#include "core/analysis/extract.h"

namespace hilo {
namespace {

class OneAssignment {
 public:
  // The place of the allocation of these bytes; a new one where there is none.
  std::pair<size_t, bool> allocationOf(const BufferSlice& slice) {
    const auto found = std::ranges::find(slices_, slice);
    if (found != slices_.end()) return {static_cast<size_t>(found - slices_.begin()), false};
    slices_.push_back(slice);
    made_.allocations.push_back(
        {.index = static_cast<int64_t>(made_.allocations.size()), .sizeBytes = slice.sizeBytes});
    return {slices_.size() - 1, true};
  }
  void assign(size_t allocation, const Instruction& instruction, const ShapeIndex& index) {
    const auto id = static_cast<int64_t>(made_.buffers.size());
    const int64_t bytes = made_.allocations[allocation].sizeBytes;
    made_.buffers.push_back({.id = id,
                             .sizeBytes = bytes,
                             .instruction = std::string(instruction.name()),
                             .shapeIndex = {index.begin(), index.end()}});
    made_.allocations[allocation].assigned.push_back({.bufferId = id, .offsetBytes = 0, .sizeBytes = bytes});
  }
  BufferAllocation& operator[](size_t allocation) { return made_.allocations[allocation]; }
  BufferAssignment take() { return std::move(made_); }

 private:
  std::vector<BufferSlice> slices_;
  BufferAssignment made_;
};

template <typename Each>
Status eachArray(const Instruction& instruction, Each&& each) {
  const SubshapeTable parts(instruction.shape());
  for (const SubshapeTable::Part& part : parts.parts()) {
    if (part.shape.isArray()) TRY_STATUS(each(part.index));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Module>> moduleOfOne(const Instruction& instruction) {
  const InstructionId id = instruction.id();
  TRY(std::unique_ptr<Module> alone, extractModule(instruction.parent().module(), {&id, 1}));
  alone->set<Attr::IsScheduled>(true);
  return std::shared_ptr<const Module>(std::move(alone));
}

Result<BufferAssignment> assignmentOfOne(const Instruction& instruction, const Module& alone,
                                         const DumpedBuffers& buffers) {
  OneAssignment made;
  std::vector<const Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::find(operands, operand) == operands.end()) operands.push_back(operand);
  }
  const auto parameters = alone.entry()->parameters();
  if (parameters.size() != operands.size())
    return fail("unsupported-program", fmt::format("%{} uses more than its operands", instruction.name()));
  for (size_t p = 0; p < operands.size(); ++p) {
    TRY_STATUS(eachArray(*operands[p], [&](const ShapeIndex& index) -> Status {
      TRY(const BufferSlice slice, buffers.sliceOf(*operands[p], index));
      const auto [allocation, isNew] = made.allocationOf(slice);
      if (!isNew)
        return fail("unsupported-program",
                    fmt::format("%{}: two of its operands lie in the same bytes", instruction.name()));
      made[allocation].isEntryParameter = true;
      made[allocation].parameterNumber = static_cast<int64_t>(p);
      made[allocation].parameterShapeIndex.assign(index.begin(), index.end());
      made.assign(allocation, *parameters[p], index);
      return {};
    }));
  }
  TRY_STATUS(eachArray(instruction, [&](const ShapeIndex& index) -> Status {
    TRY(const BufferSlice slice, buffers.sliceOf(instruction, index));
    made.assign(made.allocationOf(slice).first, *alone.entry()->root(), index);
    return {};
  }));
  return made.take();
}

}  // namespace hilo
