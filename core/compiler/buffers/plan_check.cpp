#include "core/compiler/buffers/plan_check.h"

#include "core/analysis/dataflow/operand_sharing.h"
#include "core/compiler/buffers/input_slices.h"

namespace hilo {
namespace {

struct Placed {
  ValueId value;
  LiveRange range;
  int64_t offset, end;
};

class PlanChecker {
 public:
  PlanChecker(const ValueLiveRanges& ranges, const PlanValues& values, size_t limit)
      : ranges_(ranges), dataflow_(ranges.aliases().dataflow()), limit_(limit), names_(values) {}

  Diagnostics check(const BufferAssignment& plan) {
    for (const BufferAllocation& allocation : plan.allocations) {
      if (!allocation.isThreadLocal) check(plan, allocation);
    }
    return std::move(problems_);
  }

 private:
  void check(const BufferAssignment& plan, const BufferAllocation& allocation) {
    std::vector<Placed> placed;
    for (const AssignedBuffer& assigned : allocation.assigned) {
      const LogicalBuffer* buffer = plan.buffer(assigned.bufferId);
      if (buffer == nullptr) continue;
      const std::optional<ValueId> found = names_.find(*buffer);
      if (!found || !ranges_.of(*found)) continue;
      const int64_t end = assigned.offsetBytes + assigned.sizeBytes;
      if (assigned.offsetBytes < 0 || end > allocation.sizeBytes)
        report("outside-allocation", *found,
               fmt::format("ends at byte {} of allocation {}, which has {}", end, allocation.index,
                           allocation.sizeBytes));
      placed.push_back({*found, *ranges_.of(*found), assigned.offsetBytes, end});
    }
    std::ranges::sort(placed, {}, [](const Placed& p) { return std::tuple(p.range.start, p.value); });
    std::vector<const Placed*> live;
    for (const Placed& next : placed) {
      std::erase_if(live, [&](const Placed* p) { return p->range.end < next.range.start; });
      for (const Placed* other : live) {
        if (other->end <= next.offset || next.end <= other->offset || mayShare(*other, next)) continue;
        reportOverlap(*other, next);
      }
      live.push_back(&next);
    }
  }

  bool mayShare(const Placed& earlier, const Placed& later) const {
    if (ranges_.aliases().bufferOf(earlier.value).id == ranges_.aliases().bufferOf(later.value).id)
      return true;
    return earlier.offset == later.offset && (writesOver(earlier, later) || writesOver(later, earlier));
  }

  bool writesOver(const Placed& ending, const Placed& starting) const {
    if (ending.range.end != starting.range.start) return false;
    const HloValue& made = dataflow_.value(starting.value);
    for (const HloPosition& position : dataflow_.value(ending.value).positions) {
      const auto operands = made.instruction().operands();
      const auto operand = std::ranges::find(operands, position.instruction);
      if (operand == operands.end()) continue;
      if (canShareOperandBuffer(dataflow_, *position.instruction, position.index, made.instruction(),
                                made.index(), ranges_.aliases().backend()))
        return true;
      const auto number = static_cast<size_t>(operand - operands.begin());
      if (position.index.empty() && slicesOwnPart(made.instruction(), number, made.index())) return true;
    }
    return false;
  }

  // Needed together in one step alone, the last of the one and the first of the other, which is a kernel
  // whose order of reads and writes nothing here says: right where it reads each element before it writes it.
  bool mayBeInPlace(const Placed& earlier, const Placed& later) const {
    const Opcode opcode = dataflow_.value(later.value).instruction().opcode();
    return earlier.range.end == later.range.start &&
           (opcode == Opcode::Fusion || opcode == Opcode::CustomCall);
  }

  void reportOverlap(const Placed& earlier, const Placed& later) {
    const std::string earlierName = toString(dataflow_.value(earlier.value));
    if (mayBeInPlace(earlier, later))
      return report("buffers-overlap", later.value,
                    fmt::format("is written over {} in step {}, where that is read for the last time",
                                earlierName, later.range.start),
                    Severity::kWarning);
    report("buffers-overlap", later.value,
           fmt::format("lies on {}, which is needed from {} to {}, from {} to {}", earlierName,
                       earlier.range.start, earlier.range.end, later.range.start, later.range.end));
  }

  void report(std::string kind, ValueId id, std::string message, Severity severity = Severity::kError) {
    if (problems_.size() >= limit_) return;
    const HloValue& value = dataflow_.value(id);
    problems_.push_back({severity,
                         std::move(kind),
                         fmt::format("{} {}", toString(value), message),
                         {.computation = std::string(value.instruction().parent().name()),
                          .instruction = std::string(value.instruction().name())},
                         {}});
  }

  const ValueLiveRanges& ranges_;
  const DataflowAnalysis& dataflow_;
  size_t limit_;
  const PlanValues& names_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics checkBufferPlan(const ValueLiveRanges& ranges, const BufferAssignment& plan, size_t limit) {
  return checkBufferPlan(ranges, PlanValues(ranges.aliases().dataflow()), plan, limit);
}

Diagnostics checkBufferPlan(const ValueLiveRanges& ranges, const PlanValues& values,
                            const BufferAssignment& plan, size_t limit) {
  return PlanChecker(ranges, values, limit).check(plan);
}

}  // namespace hilo
