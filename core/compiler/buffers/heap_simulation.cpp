#include "core/compiler/buffers/heap_simulation.h"

#include "core/analysis/dataflow/operand_sharing.h"

namespace hilo {
namespace {

class Simulation {
 public:
  Simulation(const ValueLiveRanges& ranges, std::span<const ValueId> values,
             const std::function<int64_t(BufferId)>& sizeOf, const SimulationOptions& options)
      : ranges_(ranges),
        dataflow_(ranges.aliases().dataflow()),
        sizeOf_(sizeOf),
        options_(options),
        defined_(static_cast<size_t>(ranges.endTime()) + 1),
        freed_(static_cast<size_t>(ranges.endTime()) + 1),
        blockOf_(dataflow_.values().size(), kNone),
        slotOf_(dataflow_.values().size()),
        isFree_(dataflow_.values().size(), true) {
    std::vector<ValueId> sorted(values.begin(), values.end());
    std::ranges::sort(sorted, {},
                      [&](ValueId id) { return std::tuple(ranges.of(id)->start, ranges.of(id)->end, id); });
    for (const ValueId id : sorted) {
      defined_[static_cast<size_t>(ranges.of(id)->start)].push_back(id);
      freed_[static_cast<size_t>(ranges.of(id)->end)].push_back(id);
      isFree_[id.value] = false;
    }
  }

  SimulatedHeap run() {
    result_.trace.wholeModule = true;
    for (size_t step = 0; step < defined_.size(); ++step) {
      for (const ValueId id : defined_[step]) define(id, step);
      for (const ValueId id : freed_[step]) free(id);
    }
    findPeak();
    return std::move(result_);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  void define(ValueId id, size_t step) {
    const HloBuffer& buffer = ranges_.aliases().bufferOf(id);
    if (const auto first = blockOfBuffer_.find(buffer.id); first != blockOfBuffer_.end()) {
      enter(id, first->second, firstValue_[first->second]);
      return;
    }
    if (const ValueId operand = operandToTakeOver(id, buffer, step); operand.valid()) {
      free(operand);
      const uint32_t block = blockOf_[operand.value];
      HeapBlock& shared = result_.blocks[block];
      shared.sizeBytes = std::max(shared.sizeBytes, sizeOf_(buffer.id));
      enter(id, block, operand);
      return;
    }
    const auto block = static_cast<uint32_t>(result_.blocks.size());
    result_.blocks.push_back({sizeOf_(buffer.id), {}});
    result_.values.emplace_back();
    firstValue_.push_back(id);
    blockOfBuffer_[buffer.id] = block;
    enter(id, block, {});
  }

  void enter(ValueId id, uint32_t block, ValueId sharedWith) {
    blockOf_[id.value] = block;
    slotOf_[id.value] = static_cast<uint32_t>(result_.blocks[block].times.size());
    result_.blocks[block].times.push_back({clock_, clock_});
    result_.values[block].push_back(id);
    ++clock_;
    record(sharedWith.valid() ? HeapEvent::Kind::ShareWith : HeapEvent::Kind::Alloc, id, sharedWith);
  }

  void free(ValueId id) {
    if (isFree_[id.value]) return;
    isFree_[id.value] = true;
    result_.blocks[blockOf_[id.value]].times[slotOf_[id.value]].end = clock_++;
    record(HeapEvent::Kind::Free, id, {});
  }

  void record(HeapEvent::Kind kind, ValueId id, ValueId sharedWith) {
    const Instruction& instruction = dataflow_.value(id).instruction();
    result_.trace.events.push_back({kind, id.value, std::string(instruction.parent().name()),
                                    std::string(instruction.name()),
                                    sharedWith.valid() ? sharedWith.value : 0});
  }

  // An operand that ends here and whose bytes the instruction may write its result over.
  ValueId operandToTakeOver(ValueId id, const HloBuffer& buffer, size_t step) const {
    const HloValue& value = dataflow_.value(id);
    const Instruction& user = value.instruction();
    if (!options_.shareOperands || buffer.values.size() != 1 || user.opcode() == Opcode::Copy) return {};
    for (const Instruction* operand : user.operands()) {
      for (const ValueId candidate : dataflow_.valuesAt(*operand)) {
        if (isFree_[candidate.value] || blockOf_[candidate.value] == kNone) continue;
        if (ranges_.of(candidate)->end != static_cast<int64_t>(step)) continue;
        if (ranges_.aliases().bufferOf(candidate).values.size() != 1) continue;
        const HloPosition& made = dataflow_.value(candidate).definition();
        if (std::ranges::find(user.operands(), made.instruction) == user.operands().end()) continue;
        if (canShareOperandBuffer(dataflow_, *made.instruction, made.index, user, value.index(),
                                  ranges_.aliases().backend()))
          return candidate;
      }
    }
    return {};
  }

  void findPeak() {
    struct Change {
      int64_t time;
      bool begins;
      uint32_t block;
      ValueId value;
    };
    std::vector<Change> changes;
    for (uint32_t block = 0; block < result_.blocks.size(); ++block) {
      for (size_t i = 0; i < result_.blocks[block].times.size(); ++i) {
        const HeapInterval& time = result_.blocks[block].times[i];
        changes.push_back({time.start, true, block, result_.values[block][i]});
        changes.push_back({time.end, false, block, result_.values[block][i]});
      }
    }
    std::ranges::sort(changes, {}, &Change::time);
    std::vector<uint32_t> held(result_.blocks.size());
    int64_t live = 0;
    size_t peakAt = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      const Change& change = changes[i];
      if (change.begins) {
        if (held[change.block]++ == 0) live += result_.blocks[change.block].sizeBytes;
      } else if (--held[change.block] == 0) {
        live -= result_.blocks[change.block].sizeBytes;
      }
      if (live > result_.peakBytes) {
        result_.peakBytes = live;
        peakAt = i;
      }
    }
    absl::flat_hash_map<uint32_t, ValueId> at;
    for (size_t i = 0; i <= peakAt && i < changes.size(); ++i) {
      if (changes[i].begins) {
        at.emplace(changes[i].block, changes[i].value);
      } else if (const auto found = at.find(changes[i].block);
                 found != at.end() && found->second == changes[i].value) {
        at.erase(found);
      }
    }
    for (const auto& [block, value] : at) result_.peakValues.push_back(value);
    std::ranges::sort(result_.peakValues);
  }

  const ValueLiveRanges& ranges_;
  const DataflowAnalysis& dataflow_;
  const std::function<int64_t(BufferId)>& sizeOf_;
  const SimulationOptions& options_;
  std::vector<std::vector<ValueId>> defined_, freed_;  // by step
  std::vector<uint32_t> blockOf_, slotOf_;             // by value id
  std::vector<bool> isFree_;                           // by value id; also those not played
  absl::flat_hash_map<BufferId, uint32_t> blockOfBuffer_;
  std::vector<ValueId> firstValue_;  // by block
  int64_t clock_ = 0;
  SimulatedHeap result_;
};

}  // namespace

SimulatedHeap simulateHeap(const ValueLiveRanges& ranges, std::span<const ValueId> values,
                           const std::function<int64_t(BufferId)>& sizeOf, const SimulationOptions& options) {
  return Simulation(ranges, values, sizeOf, options).run();
}

}  // namespace hilo
