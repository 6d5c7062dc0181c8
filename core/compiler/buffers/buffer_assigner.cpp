#include "core/compiler/buffers/buffer_assigner.h"

#include <map>
#include <ranges>

#include "core/analysis/dataflow/operand_sharing.h"
#include "core/analysis/saturating.h"
#include "core/compiler/buffers/heap_simulation.h"

namespace hilo {
namespace {

constexpr int64_t kMaxTotalBytes = int64_t{1} << 60;

int64_t memorySpaceOf(Shape shape) { return shape.layout() == nullptr ? 0 : shape.layout()->memorySpace; }

class Assigner {
 public:
  // `position` says by instruction id which of two buffers of one size is placed first.
  Assigner(const ValueLiveRanges& ranges, const std::vector<int64_t>& position,
           const BufferAssignmentOptions& options)
      : module_(ranges.aliases().dataflow().module()),
        aliases_(ranges.aliases()),
        dataflow_(aliases_.dataflow()),
        ranges_(ranges),
        position_(position),
        options_(options),
        allocationOf_(aliases_.buffers().size(), kNone) {
    alignment_ = options.alignmentBytes > 0                ? options.alignmentBytes
                 : aliases_.backend() == AliasBackend::Gpu ? 128
                                                           : 64;
    for (const HloBuffer& buffer : aliases_.buffers()) {
      int64_t size = 0;
      for (const ValueId id : buffer.values)
        size = std::max(size, bufferBytes(dataflow_.value(id).shape, options.pointerBytes));
      sizes_.push_back(size);
    }
  }

  // Gives everything a place but what goes into the heaps.
  Status placeFixed() {
    int64_t total = 0;
    for (const int64_t size : sizes_) total = saturatingAdd(total, size);
    if (total > kMaxTotalBytes) return fail("module-too-large", "the values add up to more than 2^60 bytes");
    collectGlobals();
    for (const BufferId id : sortedGlobals()) {
      if (options_.cancel.cancelled()) return fail("cancelled", "buffer assignment was cancelled");
      assignGlobal(aliases_.buffers()[id.value], temporaries_);
    }
    std::ranges::sort(temporaries_);
    return {};
  }
  std::span<const ValueId> temporaries() const { return temporaries_; }

  BufferAssignment finish() {
    markLiveOut();
    assignHeaps(temporaries_);
    assignThreadLocals();
    describeValues();
    return describeAllocations();
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  // When an allocation is in use, in order; only touching ranges overlap.
  struct Use {
    LiveRange range;
    ValueId value;
  };
  struct Allocation {
    BufferAllocation facts;
    std::vector<Use> uses;  // by start
    bool reusable = false;
  };

  const HloValue& value(ValueId id) const { return dataflow_.value(id); }
  int64_t colorOf(const HloBuffer& buffer) const { return memorySpaceOf(value(buffer.values[0]).shape); }

  // Computations that run in the sequence, from the entry down; what they apply or fuse has places of its
  // own.
  void collectGlobals() {
    std::vector<const Computation*> pending = {module_.entry()};
    while (!pending.empty()) {
      const Computation* computation = pending.back();
      pending.pop_back();
      if (!globals_.insert(computation).second) continue;
      for (const Instruction* instruction : computation->instructions()) {
        const bool runs = callContextOf(instruction->opcode()) == CallContext::ControlFlow;
        for (const Computation* called : instruction->calledComputations()) {
          if (runs) {
            pending.push_back(called);
          } else if (instruction->opcode() != Opcode::Fusion) {
            applied_.insert(called);
          }
        }
      }
    }
  }

  std::vector<BufferId> sortedGlobals() const {
    std::vector<BufferId> sorted;
    for (const HloBuffer& buffer : aliases_.buffers()) {
      if (globals_.contains(&value(buffer.values[0]).instruction().parent())) sorted.push_back(buffer.id);
    }
    const auto firstPosition = [&](const HloBuffer& buffer) {
      int64_t first = std::numeric_limits<int64_t>::max();
      for (const ValueId id : buffer.values)
        first = std::min(first, position_[value(id).instruction().id().value]);
      return first;
    };
    std::ranges::sort(sorted, {}, [&](BufferId id) {
      const HloBuffer& buffer = aliases_.buffers()[id.value];
      return std::tuple(-sizes_[id.value], !buffer.livesOut, firstPosition(buffer), id);
    });
    return sorted;
  }

  Allocation& newAllocation(const HloBuffer& buffer) {
    Allocation& allocation = allocations_.emplace_back();
    allocation.facts.sizeBytes = sizes_[buffer.id.value];
    allocation.facts.color = colorOf(buffer);
    addTo(static_cast<uint32_t>(allocations_.size() - 1), buffer);
    return allocation;
  }

  void addTo(uint32_t index, const HloBuffer& buffer) {
    Allocation& allocation = allocations_[index];
    allocationOf_[buffer.id.value] = index;
    for (const ValueId id : buffer.values) {
      allocation.facts.assigned.push_back({id.value, 0, sizes_[buffer.id.value]});
      if (const auto& range = ranges_.of(id)) {
        const auto at = std::ranges::upper_bound(allocation.uses, range->start, {},
                                                 [](const Use& use) { return use.range.start; });
        allocation.uses.insert(at, {*range, id});
      }
    }
  }

  void assignGlobal(const HloBuffer& buffer, std::vector<ValueId>& temporaries) {
    if (assignSpecial(buffer)) return;
    if (reuseOperandPlace(buffer) || reuseAnyPlace(buffer)) return;
    if (!buffer.livesOut) {
      temporaries.insert(temporaries.end(), buffer.values.begin(), buffer.values.end());
      return;
    }
    newAllocation(buffer).reusable = true;
    reusable_.push_back(static_cast<uint32_t>(allocations_.size() - 1));
  }

  bool assignSpecial(const HloBuffer& buffer) {
    for (const ValueId id : buffer.values) {
      const Instruction& instruction = value(id).instruction();
      if (instruction.opcode() == Opcode::Constant) {
        newAllocation(buffer).facts.isConstant = true;
        return true;
      }
      if (instruction.opcode() != Opcode::Parameter || !instruction.parent().isEntry()) continue;
      Allocation& allocation = newAllocation(buffer);
      describeParameter(allocation.facts, instruction, value(id).index());
      allocation.reusable = allocation.facts.isParameterAliasedWithOutput && !value(id).shape.isTuple();
      if (allocation.reusable) reusable_.push_back(static_cast<uint32_t>(allocations_.size() - 1));
      return true;
    }
    const auto isTuple = [&](ValueId id) { return value(id).shape.isTuple(); };
    if (std::ranges::none_of(buffer.values, isTuple)) return false;
    newAllocation(buffer).facts.isTuple = true;
    return true;
  }

  void describeParameter(BufferAllocation& facts, const Instruction& parameter,
                         const ShapeIndex& index) const {
    facts.isEntryParameter = true;
    facts.parameterNumber = parameter.parameterNumber();
    facts.parameterShapeIndex.assign(index.begin(), index.end());
    facts.parameterShape = toString(subshapeAt(parameter.shape(), index)->withoutLayout());
    facts.isParameterAliasedWithOutput =
        std::ranges::any_of(module_.get<Attr::InputOutputAlias>(), [&](const AliasEntry& alias) {
          return alias.parameter == facts.parameterNumber && std::ranges::equal(alias.parameterIndex, index);
        });
  }

  bool reuseOperandPlace(const HloBuffer& buffer) {
    for (const ValueId id : buffer.values) {
      if (!value(id).index().empty()) continue;
      for (const Instruction* operand : value(id).instruction().operands()) {
        for (const ValueId input : dataflow_.valuesAt(*operand)) {
          const uint32_t index = allocationOf_[aliases_.bufferOf(input).id.value];
          if (index != kNone && tryPlace(index, buffer)) return true;
        }
      }
    }
    return false;
  }

  // The newest allocation first: sizes fall, so that is the tightest.
  bool reuseAnyPlace(const HloBuffer& buffer) {
    for (size_t i = reusable_.size(); i-- > 0;) {
      if (tryPlace(reusable_[i], buffer)) return true;
    }
    return false;
  }

  bool tryPlace(uint32_t index, const HloBuffer& buffer) {
    const Allocation& allocation = allocations_[index];
    const int64_t size = sizes_[buffer.id.value];
    if (!allocation.reusable || allocation.facts.color != colorOf(buffer) ||
        size > allocation.facts.sizeBytes)
      return false;
    // What lives out takes an allocation of just its size: nobody knows how long it is kept.
    if (buffer.livesOut && size != allocation.facts.sizeBytes) return false;
    for (const ValueId id : buffer.values) {
      if (!ranges_.of(id) || interferes(allocation, id)) return false;
    }
    addTo(index, buffer);
    return true;
  }

  bool interferes(const Allocation& allocation, ValueId id) const {
    const LiveRange range = *ranges_.of(id);
    // Uses that could overlap are a run: their starts and ends both rise.
    auto use =
        std::ranges::lower_bound(allocation.uses, range.start, {}, [](const Use& u) { return u.range.end; });
    for (; use != allocation.uses.end() && use->range.start <= range.end; ++use) {
      if (use->range.end == range.start
              ? !takesOver(value(use->value), value(id))
              : use->range.start != range.end || !takesOver(value(id), value(use->value)))
        return true;
    }
    // A copy must not be its own operand, even when that has just ended.
    const Instruction& instruction = value(id).instruction();
    if (instruction.opcode() != Opcode::Copy) return false;
    return std::ranges::any_of(dataflow_.valuesAt(*instruction.operand(0)), [&](ValueId source) {
      return allocationOf_[aliases_.bufferOf(source).id.value] ==
             static_cast<uint32_t>(&allocation - allocations_.data());
    });
  }

  // The one ends where the other starts: fine only if that writes over it.
  bool takesOver(const HloValue& ending, const HloValue& starting) const {
    const Instruction& user = starting.instruction();
    if (user.opcode() == Opcode::Copy) return false;
    return std::ranges::any_of(ending.positions, [&](const HloPosition& position) {
      return std::ranges::find(user.operands(), position.instruction) != user.operands().end() &&
             canShareOperandBuffer(dataflow_, *position.instruction, position.index, user, starting.index(),
                                   aliases_.backend());
    });
  }

  void markLiveOut() {
    for (const HloBuffer& buffer : aliases_.buffers()) {
      const uint32_t index = allocationOf_[buffer.id.value];
      if (buffer.livesOut && index != kNone) allocations_[index].facts.maybeLiveOut = true;
    }
  }

  bool isTemporary(const BufferAllocation& facts) const {
    return !facts.isEntryParameter && !facts.maybeLiveOut && !facts.isThreadLocal && !facts.isConstant;
  }

  // Of each memory space one heap, and behind it the tuples' tables, which are never shared.
  void assignHeaps(const std::vector<ValueId>& temporaries) {
    std::map<int64_t, std::vector<ValueId>> byColor;
    for (const ValueId id : temporaries) {
      if (ranges_.of(id)) byColor[colorOf(aliases_.bufferOf(id))].push_back(id);
    }
    std::vector<Allocation> kept, tables;
    for (Allocation& allocation : allocations_) {
      const bool temporary = isTemporary(allocation.facts);
      if (temporary) byColor.try_emplace(allocation.facts.color);
      (temporary ? tables : kept).push_back(std::move(allocation));
    }
    allocations_ = std::move(kept);
    for (const auto& [color, values] : byColor) {
      Allocation& heap = allocations_.emplace_back();
      heap.facts.color = color;
      heap.facts.isPreallocatedTemp = true;
      layOut(heap.facts, values);
      for (Allocation& table : tables) {
        if (table.facts.color != color) continue;
        const int64_t base = (heap.facts.sizeBytes + alignment_ - 1) & ~(alignment_ - 1);
        for (const AssignedBuffer& buffer : table.facts.assigned)
          heap.facts.assigned.push_back({buffer.bufferId, base + buffer.offsetBytes, buffer.sizeBytes});
        heap.facts.sizeBytes = base + table.facts.sizeBytes;
      }
    }
  }

  void layOut(BufferAllocation& facts, std::span<const ValueId> values) {
    const auto sizeOf = [&](BufferId id) { return sizes_[id.value]; };
    SimulatedHeap heap = simulateHeap(ranges_, values, sizeOf, {.shareOperands = options_.shareOperands});
    const HeapLayout layout = options_.heapOrder ? layOutHeap(heap.blocks, alignment_, *options_.heapOrder)
                                                 : layOutHeap(heap.blocks, alignment_);
    facts.sizeBytes = layout.heapBytes;
    for (size_t block = 0; block < heap.blocks.size(); ++block) {
      for (const ValueId id : heap.values[block]) {
        facts.assigned.push_back({id.value, layout.offsets[block], sizes_[aliases_.bufferOf(id).id.value]});
      }
    }
    peaks_.emplace_back(allocations_.size() - 1, std::move(heap.peakValues));
    heap.trace.allocationIndex = static_cast<int64_t>(allocations_.size() - 1);
    result_.heapTraces.push_back(std::move(heap.trace));
  }

  void assignThreadLocals() {
    for (const HloBuffer& buffer : aliases_.buffers()) {
      const Computation* home = &value(buffer.values[0]).instruction().parent();
      if (!applied_.contains(home) || globals_.contains(home)) continue;
      const bool constant = value(buffer.values[0]).instruction().opcode() == Opcode::Constant;
      BufferAllocation& facts = newAllocation(buffer).facts;
      (constant ? facts.isConstant : facts.isThreadLocal) = true;
    }
  }

  void describeValues() {
    for (const HloValue& v : dataflow_.values()) {
      result_.buffers.push_back({.id = v.id.value,
                                 .sizeBytes = bufferBytes(v.shape, options_.pointerBytes),
                                 .computation = std::string(v.instruction().parent().name()),
                                 .instruction = std::string(v.instruction().name()),
                                 .shapeIndex = {v.index().begin(), v.index().end()},
                                 .color = memorySpaceOf(v.shape),
                                 .shape = toString(v.shape)});
    }
    for (const Instruction* instruction : ranges_.sequence())
      result_.sequence.emplace_back(instruction->name());
    for (const HloValue& v : dataflow_.values()) {
      if (const auto& range = ranges_.of(v.id)) {
        result_.liveRanges.push_back({std::string(v.instruction().name()),
                                      {v.index().begin(), v.index().end()},
                                      range->start,
                                      range->end});
      }
    }
    // Positions that other instructions share with where a value is made.
    for (const HloValue& v : dataflow_.values()) {
      for (size_t i = 1; i < v.positions.size(); ++i) {
        result_.aliases.push_back({v.id.value,
                                   std::string(v.positions[i].instruction->name()),
                                   {v.positions[i].index.begin(), v.positions[i].index.end()}});
      }
    }
  }

  BufferAssignment describeAllocations() {
    result_.peakBuffers.resize(allocations_.size());
    for (const auto& [allocation, values] : peaks_) {
      for (const ValueId id : values) result_.peakBuffers[allocation].push_back(id.value);
    }
    const Shape output = module_.entry()->root()->shape();
    for (size_t i = 0; i < allocations_.size(); ++i) {
      BufferAllocation& facts = allocations_[i].facts;
      facts.index = static_cast<int64_t>(i);
      std::ranges::sort(facts.assigned, {}, &AssignedBuffer::bufferId);
      result_.totalBytes += facts.sizeBytes;
      const auto isRoot = [&](const AssignedBuffer& assigned) {
        const HloValue& v = value({static_cast<uint32_t>(assigned.bufferId)});
        return std::ranges::any_of(v.positions, [&](const HloPosition& position) {
          return position.instruction == module_.entry()->root() && position.index.empty();
        });
      };
      if (facts.maybeLiveOut && std::ranges::any_of(facts.assigned, isRoot))
        facts.outputShape = toString(output.withoutLayout());
      result_.allocations.push_back(std::move(facts));
    }
    return std::move(result_);
  }

  const Module& module_;
  const AliasAnalysis& aliases_;
  const DataflowAnalysis& dataflow_;
  const ValueLiveRanges& ranges_;
  const std::vector<int64_t>& position_;
  const BufferAssignmentOptions& options_;
  int64_t alignment_;
  std::vector<int64_t> sizes_;          // by buffer id
  std::vector<uint32_t> allocationOf_;  // by buffer id; of those that are in no heap
  std::vector<Allocation> allocations_;
  std::vector<uint32_t> reusable_;
  std::vector<ValueId> temporaries_;
  absl::flat_hash_set<const Computation*> globals_, applied_;
  std::vector<std::pair<size_t, std::vector<ValueId>>> peaks_;
  BufferAssignment result_;
};

// Operands in front of users from each result back, callers before what they call: the order XLA breaks ties
// in.
class PostOrderPositions {
 public:
  explicit PostOrderPositions(const DataflowAnalysis& dataflow) : position_(dataflow.module().idLimit()) {
    for (const Computation* computation : dataflow.callGraph().postOrder() | std::views::reverse) {
      for (const Instruction* instruction : computation->instructions()) {
        if (instruction->users().empty()) visit(*instruction);
      }
    }
  }
  std::vector<int64_t> take() { return std::move(position_); }

 private:
  void visit(const Instruction& last) {
    std::vector<std::pair<const Instruction*, size_t>> path = {{&last, 0}};
    while (!path.empty()) {
      const Instruction* at = path.back().first;
      size_t& next = path.back().second;
      const auto control = at->get<Attr::ControlPredecessors>();
      if (position_[at->id().value] != 0) {
        path.pop_back();
      } else if (next < at->operandCount() + control.size()) {
        const size_t i = next++;
        const Instruction* before = i < at->operandCount() ? at->operand(i) : control[i - at->operandCount()];
        if (position_[before->id().value] == 0) path.emplace_back(before, 0);
      } else {
        position_[at->id().value] = ++count_;
        path.pop_back();
      }
    }
  }

  std::vector<int64_t> position_;
  int64_t count_ = 0;
};

}  // namespace

Result<BufferAssignment> assignBuffers(const Module& module, const BufferAssignmentOptions& options) {
  if (module.entry() == nullptr) return fail("no-entry", "the module has no entry computation");
  TRY(const AliasAnalysis aliases,
      AliasAnalysis::run(module, options.backend.value_or(aliasBackendOf(module))));
  TRY_STATUS(aliases.dataflow().callGraph().requireFlat());
  const ValueLiveRanges ranges(aliases);
  const std::vector<int64_t> postOrder = PostOrderPositions(aliases.dataflow()).take();
  std::vector<int64_t> times(module.idLimit());
  for (size_t i = 0; i < ranges.sequence().size(); ++i)
    times[ranges.sequence()[i]->id().value] = static_cast<int64_t>(i);
  // Which of two buffers takes another's place is a guess; both ways are tried where they differ.
  Assigner first(ranges, postOrder, options), second(ranges, times, options);
  TRY_STATUS(first.placeFixed());
  TRY_STATUS(second.placeFixed());
  const bool same = std::ranges::equal(first.temporaries(), second.temporaries());
  BufferAssignment byPostOrder = first.finish();
  if (same) return byPostOrder;
  BufferAssignment byTime = second.finish();
  return byTime.totalBytes < byPostOrder.totalBytes ? std::move(byTime) : std::move(byPostOrder);
}

}  // namespace hilo
