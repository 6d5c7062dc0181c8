#include "core/compiler/buffers/buffer_assigner.h"

#include <map>
#include <ranges>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/operand_sharing.h"
#include "core/analysis/dataflow/value_order.h"
#include "core/analysis/saturating.h"
#include "core/compiler/buffers/busy_times.h"
#include "core/compiler/buffers/describe_assignment.h"
#include "core/compiler/buffers/heap_simulation.h"

namespace hilo {
namespace {

constexpr int64_t kMaxTotalBytes = int64_t{1} << 60;

int64_t memorySpaceOf(Shape shape) { return shape.layout() == nullptr ? 0 : shape.layout()->memorySpace; }
int64_t roundedUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) & ~(alignment - 1); }

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
        allocationOf_(aliases_.buffers().size(), kNone),
        execution_(module_, dataflow_.callGraph(), !options.anyOrder),
        order_(dataflow_, execution_, aliases_.backend()),
        busy_(options.anyOrder ? 0 : ranges.endTime(), mostReusable()) {
    alignment_ = options.alignmentBytes > 0           ? options.alignmentBytes
                 : aliases_.backend() == Backend::Gpu ? 128
                                                      : 64;
    for (const HloBuffer& buffer : aliases_.buffers()) {
      int64_t size = 0;
      for (const ValueId id : buffer.values)
        size = std::max(size, bufferBytes(dataflow_.value(id).shape, options.pointerBytes));
      sizes_.push_back(size);
      colors_.push_back(colorOf(value(buffer.values[0])));
    }
  }

  // Gives everything a place but what goes into the heaps.
  Status placeFixed() {
    int64_t total = 0;
    for (const int64_t size : sizes_) total = saturatingAdd(total, size);
    if (total > kMaxTotalBytes) return fail("module-too-large", "the values add up to more than 2^60 bytes");
    TRY_STATUS(checkColors());
    collectGlobals();
    TRY_STATUS(placePresets());
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
    std::vector<std::vector<int64_t>> peaks(allocations_.size());
    for (const auto& [allocation, values] : peaks_) {
      for (const ValueId id : values) peaks[allocation].push_back(id.value);
    }
    std::vector<BufferAllocation> allocations;
    for (Allocation& allocation : allocations_) allocations.push_back(std::move(allocation.facts));
    return describeAssignment(
        ranges_, {std::move(allocations), std::move(colors_), std::move(peaks), std::move(heapTraces_)},
        options_.pointerBytes);
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
    std::vector<Use> uses;        // by start
    uint32_t reusableAs = kNone;  // its place in reusable_
    bool livesOut = false;
    bool preset = false;
  };

  const HloValue& value(ValueId id) const { return dataflow_.value(id); }
  int64_t colorOf(const HloValue& v) const {
    return options_.colorOf ? options_.colorOf(aliases_, v) : memorySpaceOf(v.shape);
  }
  int64_t colorOf(const HloBuffer& buffer) const { return colors_[buffer.id.value]; }

  Status checkColors() const {
    if (!options_.colorOf) return {};
    for (const HloBuffer& buffer : aliases_.buffers()) {
      for (const ValueId id : buffer.values) {
        if (colorOf(value(id)) == colorOf(buffer)) continue;
        return fail("mixed-colors", fmt::format("{} and {} share a buffer but not a memory space",
                                                toString(value(buffer.values[0])), toString(value(id))));
      }
    }
    return {};
  }

  Status placePresets() {
    std::map<int64_t, uint32_t> allocationOfColor;
    for (const PresetPlace& preset : options_.presets) {
      const auto values = dataflow_.valuesAt(*preset.position.instruction, preset.position.index);
      if (values.size() != 1)
        return fail("bad-preset", fmt::format("{} is not one value", toString(preset.position)));
      const HloBuffer& buffer = aliases_.bufferOf(values[0]);
      const int64_t color = colorOf(buffer);
      const auto bytes = options_.presetBytes.find(color);
      if (bytes == options_.presetBytes.end() || preset.offsetBytes < 0 ||
          preset.offsetBytes + preset.sizeBytes > bytes->second)
        return fail("bad-preset", fmt::format("{} does not lie in the allocation of memory space {}",
                                              toString(preset.position), color));
      const auto [at, isNew] = allocationOfColor.emplace(color, allocations_.size());
      if (isNew) {
        Allocation& allocation = allocations_.emplace_back();
        allocation.preset = true;
        allocation.facts.sizeBytes = bytes->second;
        allocation.facts.color = color;
        allocation.facts.isPreallocatedTemp = true;
      }
      allocationOf_[buffer.id.value] = at->second;
      for (const ValueId id : buffer.values)
        allocations_[at->second].facts.assigned.push_back({id.value, preset.offsetBytes, preset.sizeBytes});
    }
    return {};
  }

  // Computations that run in the sequence, from the entry down; what they apply or fuse has places
  // of its own.
  void collectGlobals() {
    std::vector<const Computation*> applied;
    collect(module_.entry(), globals_, &applied);
    for (const Computation* computation : applied) collect(computation, applied_, nullptr);
  }

  // What runs from `root` on. Where elements have something applied to them, `applied` gets it; without
  // `applied` it belongs to the rest.
  static void collect(const Computation* root, absl::flat_hash_set<const Computation*>& found,
                      std::vector<const Computation*>* applied) {
    std::vector<const Computation*> pending = {root};
    while (!pending.empty()) {
      const Computation* computation = pending.back();
      pending.pop_back();
      if (!found.insert(computation).second) continue;
      for (const Instruction* instruction : computation->instructions()) {
        if (instruction->opcode() == Opcode::Fusion) continue;
        const bool runs = callContextOf(instruction->opcode()) == CallContext::ControlFlow;
        auto& into = runs || applied == nullptr ? pending : *applied;
        const auto called = instruction->calledComputations();
        into.insert(into.end(), called.begin(), called.end());
      }
    }
  }

  std::vector<BufferId> sortedGlobals() const {
    const auto firstPosition = [&](const HloBuffer& buffer) {
      int64_t first = std::numeric_limits<int64_t>::max();
      for (const ValueId id : buffer.values)
        first = std::min(first, position_[value(id).instruction().id().value]);
      return first;
    };
    const auto firstStart = [&](const HloBuffer& buffer) {
      int64_t first = std::numeric_limits<int64_t>::max();
      for (const ValueId id : buffer.values) {
        if (const auto& range = ranges_.of(id)) first = std::min(first, range->start);
      }
      return first;
    };
    std::vector<std::tuple<int64_t, bool, int64_t, BufferId>> keyed;
    for (const HloBuffer& buffer : aliases_.buffers()) {
      if (allocationOf_[buffer.id.value] != kNone || isUnallocated(buffer)) continue;
      if (!globals_.contains(&value(buffer.values[0]).instruction().parent())) continue;
      const int64_t first = firstPosition(buffer);
      const int64_t key = options_.order == BufferOrder::BySize        ? -sizes_[buffer.id.value]
                          : options_.order == BufferOrder::Topological ? first
                                                                       : firstStart(buffer);
      keyed.emplace_back(key, !buffer.livesOut, first, buffer.id);
    }
    std::ranges::sort(keyed);
    std::vector<BufferId> sorted;
    for (const auto& [key, isInside, first, id] : keyed) sorted.push_back(id);
    return sorted;
  }

  bool isUnallocated(const HloBuffer& buffer) const {
    if (options_.unallocatedColor && colorOf(buffer) == *options_.unallocatedColor) return true;
    return !options_.allocateConstants && std::ranges::any_of(buffer.values, [&](ValueId id) {
      return value(id).instruction().opcode() == Opcode::Constant;
    });
  }

  Allocation& newAllocation(const HloBuffer& buffer) {
    Allocation& allocation = allocations_.emplace_back();
    allocation.facts.sizeBytes = sizes_[buffer.id.value];
    allocation.facts.color = colorOf(buffer);
    addTo(static_cast<uint32_t>(allocations_.size() - 1), buffer);
    return allocation;
  }

  size_t mostReusable() const {
    return static_cast<size_t>(std::ranges::count_if(aliases_.buffers(), [&](const HloBuffer& buffer) {
      return options_.anyOrder || buffer.livesOut || std::ranges::any_of(buffer.values, [&](ValueId id) {
               return value(id).instruction().opcode() == Opcode::Parameter;
             });
    }));
  }

  void letReuse(Allocation& allocation) {
    allocation.reusableAs = busy_.addPlace();
    for (const Use& use : allocation.uses) busy_.take(allocation.reusableAs, use.range);
    reusable_.push_back(static_cast<uint32_t>(&allocation - allocations_.data()));
  }

  void addTo(uint32_t index, const HloBuffer& buffer) {
    Allocation& allocation = allocations_[index];
    allocationOf_[buffer.id.value] = index;
    allocation.livesOut |= buffer.livesOut;
    for (const ValueId id : buffer.values) {
      allocation.facts.assigned.push_back({id.value, 0, sizes_[buffer.id.value]});
      if (const auto& range = ranges_.of(id)) {
        const auto at = std::ranges::upper_bound(allocation.uses, range->start, {},
                                                 [](const Use& use) { return use.range.start; });
        allocation.uses.insert(at, {*range, id});
        if (allocation.reusableAs != kNone) busy_.take(allocation.reusableAs, *range);
      }
    }
  }

  void assignGlobal(const HloBuffer& buffer, std::vector<ValueId>& temporaries) {
    if (assignSpecial(buffer)) return;
    if (reuseOperandPlace(buffer) || reuseAnyPlace(buffer)) return;
    if (!buffer.livesOut && !options_.anyOrder) {
      temporaries.insert(temporaries.end(), buffer.values.begin(), buffer.values.end());
      return;
    }
    letReuse(newAllocation(buffer));
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
      if (allocation.facts.isParameterAliasedWithOutput && !value(id).shape.isTuple()) letReuse(allocation);
      return true;
    }
    const auto isTuple = [&](ValueId id) { return value(id).shape.isTuple(); };
    if (std::ranges::none_of(buffer.values, isTuple)) return false;
    newAllocation(buffer).facts.isTuple = true;
    return true;
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
    std::vector<LiveRange> times;
    for (const ValueId id : buffer.values) {
      if (!ranges_.of(id)) return false;
      if (!options_.anyOrder) times.push_back(*ranges_.of(id));
    }
    return busy_.tryFree(times, [&](uint32_t place) { return tryPlace(reusable_[place], buffer); });
  }

  bool tryPlace(uint32_t index, const HloBuffer& buffer) {
    const Allocation& allocation = allocations_[index];
    const int64_t size = sizes_[buffer.id.value];
    if (allocation.reusableAs == kNone || allocation.facts.color != colorOf(buffer) ||
        size > allocation.facts.sizeBytes)
      return false;
    // What lives out takes an allocation of just its size: nobody knows how long it is kept.
    if (buffer.livesOut && size != allocation.facts.sizeBytes) return false;
    if (options_.mustNotLiveOut && !mayMeetResults(allocation, buffer)) return false;
    for (const ValueId id : buffer.values) {
      if (!ranges_.of(id) || isCopyOf(allocation, id)) return false;
      if (options_.anyOrder ? mayInterfere(allocation, id) : interferes(allocation, id)) return false;
    }
    addTo(index, buffer);
    return true;
  }

  // No value that must not live out would lie with one that does.
  bool mayMeetResults(const Allocation& allocation, const HloBuffer& buffer) const {
    const auto stays = [&](ValueId id) { return options_.mustNotLiveOut(value(id)); };
    if (allocation.livesOut && std::ranges::any_of(buffer.values, stays)) return false;
    return !buffer.livesOut || std::ranges::none_of(allocation.facts.assigned, [&](const AssignedBuffer& a) {
      return stays({static_cast<uint32_t>(a.bufferId)});
    });
  }

  // In some order of the instructions.
  bool mayInterfere(const Allocation& allocation, ValueId id) {
    return std::ranges::any_of(allocation.facts.assigned, [&](const AssignedBuffer& a) {
      return order_.mayInterfere(value({static_cast<uint32_t>(a.bufferId)}), value(id));
    });
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
    return false;
  }

  // A copy must not be its own operand, even when that has just ended.
  bool isCopyOf(const Allocation& allocation, ValueId id) const {
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
      const bool temporary = isTemporary(allocation.facts) && !allocation.preset;
      if (temporary) byColor.try_emplace(allocation.facts.color);
      (temporary ? tables : kept).push_back(std::move(allocation));
    }
    allocations_ = std::move(kept);
    for (const auto& [color, values] : byColor) {
      layOutColor(color, values);
      Allocation& heap = allocations_.back();
      for (Allocation& table : tables) {
        if (table.facts.color != color) continue;
        const int64_t base = roundedUp(heap.facts.sizeBytes, alignment_);
        for (const AssignedBuffer& buffer : table.facts.assigned)
          heap.facts.assigned.push_back({buffer.bufferId, base + buffer.offsetBytes, buffer.sizeBytes});
        heap.facts.sizeBytes = base + table.facts.sizeBytes;
      }
    }
  }

  void layOutColor(int64_t color, std::span<const ValueId> values) {
    Allocation& heap = allocations_.emplace_back();
    heap.facts.color = color;
    heap.facts.isPreallocatedTemp = true;
    const auto stacks = options_.privateStacks.find(color);
    if (stacks == options_.privateStacks.end()) {
      layOut(ranges_, values);
    } else {
      layOutStacks(stacks->second, values);
    }
    const auto& isolation = options_.isolation;
    if (isolation && std::ranges::find(isolation->colors, color) != isolation->colors.end())
      isolate(allocations_.back().facts, *isolation);
  }

  // Of each computation the values made in it and in what it calls, all from the same place on.
  void layOutStacks(std::span<const Computation* const> stacks, std::span<const ValueId> values) {
    int64_t most = 0;
    std::vector<ValueId> rest(values.begin(), values.end());
    for (const Computation* computation : stacks) {
      std::vector<ValueId> inside;
      std::erase_if(rest, [&](ValueId id) {
        if (!execution_.isNestedIn(value(id).instruction(), *computation)) return false;
        inside.push_back(id);
        return true;
      });
      layOut(ValueLiveRanges(aliases_, *computation), inside);
      most = std::max(most, allocations_.back().facts.sizeBytes);
    }
    if (!rest.empty()) layOut(ranges_, rest);
    allocations_.back().facts.sizeBytes = std::max(most, allocations_.back().facts.sizeBytes);
  }

  void isolate(BufferAllocation& facts, const BufferIsolation& isolation) const {
    std::vector<AssignedBuffer*> byOrder;
    for (AssignedBuffer& assigned : facts.assigned) {
      assigned.offsetBytes += isolation.baseOffsetBytes;
      byOrder.push_back(&assigned);
    }
    std::ranges::sort(byOrder, {}, [&](const AssignedBuffer* assigned) {
      const auto id = static_cast<uint64_t>(assigned->bufferId);
      return std::pair(isolation.orderSalt == 0 ? 0 : (id + 1) * (isolation.orderSalt * 2 + 1) % 1000003, id);
    });
    int64_t end = facts.sizeBytes + isolation.baseOffsetBytes;
    for (size_t i = 0; i < std::min(isolation.fuel, byOrder.size()); ++i) {
      byOrder[i]->offsetBytes = roundedUp(end + isolation.paddingBytes, alignment_);
      end = byOrder[i]->offsetBytes + byOrder[i]->sizeBytes;
    }
    facts.sizeBytes = end;
  }

  // Into the last allocation, and into more where heaps are limited.
  void layOut(const ValueLiveRanges& ranges, std::span<const ValueId> values) {
    const auto sizeOf = [&](BufferId id) { return sizes_[id.value]; };
    SimulatedHeap heap = simulateHeap(ranges, values, sizeOf, {.shareOperands = options_.shareOperands});
    const LimitedHeaps layout = chooseLayout(heap.blocks);
    const size_t first = allocations_.size() - 1;
    for (size_t i = 0; i < layout.heapBytes.size(); ++i) {
      if (i > 0) {
        BufferAllocation facts{.color = allocations_[first].facts.color, .isPreallocatedTemp = true};
        allocations_.push_back({.facts = std::move(facts)});
      }
      allocations_.back().facts.sizeBytes = layout.heapBytes[i];
    }
    for (size_t block = 0; block < heap.blocks.size(); ++block) {
      for (const ValueId id : heap.values[block]) {
        allocations_[first + layout.heapOf[block]].facts.assigned.push_back(
            {id.value, layout.offsets[block], sizes_[aliases_.bufferOf(id).id.value]});
      }
    }
    peaks_.emplace_back(first, std::move(heap.peakValues));
    heap.trace.allocationIndex = static_cast<int64_t>(first);
    heapTraces_.push_back(std::move(heap.trace));
  }

  LimitedHeaps chooseLayout(std::span<const HeapBlock> blocks) const {
    if (options_.heapLimitBytes)
      return layOutHeaps(blocks, alignment_, options_.heapOrder.value_or(HeapOrder::BySize),
                         *options_.heapLimitBytes);
    HeapLayout layout = options_.heapOrder ? layOutHeap(blocks, alignment_, *options_.heapOrder)
                                           : layOutHeap(blocks, alignment_);
    return {.heapBytes = {layout.heapBytes},
            .heapOf = std::vector<uint32_t>(blocks.size()),
            .offsets = std::move(layout.offsets)};
  }

  void assignThreadLocals() {
    for (const HloBuffer& buffer : aliases_.buffers()) {
      const Computation* home = &value(buffer.values[0]).instruction().parent();
      if (!applied_.contains(home) || globals_.contains(home)) continue;
      if (isUnallocated(buffer)) continue;
      const bool constant = value(buffer.values[0]).instruction().opcode() == Opcode::Constant;
      BufferAllocation& facts = newAllocation(buffer).facts;
      (constant ? facts.isConstant : facts.isThreadLocal) = true;
    }
  }

  const Module& module_;
  const AliasAnalysis& aliases_;
  const DataflowAnalysis& dataflow_;
  const ValueLiveRanges& ranges_;
  const std::vector<int64_t>& position_;
  const BufferAssignmentOptions& options_;
  int64_t alignment_;
  std::vector<int64_t> sizes_, colors_;  // by buffer id
  std::vector<uint32_t> allocationOf_;   // by buffer id; of those that are in no heap
  std::vector<Allocation> allocations_;
  std::vector<uint32_t> reusable_;  // allocations, by place in busy_
  std::vector<ValueId> temporaries_;
  absl::flat_hash_set<const Computation*> globals_, applied_;
  std::vector<std::pair<size_t, std::vector<ValueId>>> peaks_;
  ExecutionOrder execution_;
  ValueOrder order_;
  BusyTimes busy_;
  std::vector<HeapTrace> heapTraces_;
};

// Operands in front of users from each result back, callers before what they call: the order XLA
// breaks ties in.
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
  TRY(const AliasAnalysis aliases, AliasAnalysis::run(module, options.backend.value_or(backendOf(module))));
  TRY_STATUS(aliases.dataflow().callGraph().requireFlat());
  return assignBuffers(ValueLiveRanges(aliases), options);
}

Result<BufferAssignment> assignBuffers(const ValueLiveRanges& ranges,
                                       const BufferAssignmentOptions& options) {
  const DataflowAnalysis& dataflow = ranges.aliases().dataflow();
  TRY_STATUS(dataflow.callGraph().requireFlat());
  const std::vector<int64_t> postOrder = PostOrderPositions(dataflow).take();
  std::vector<int64_t> times(dataflow.module().idLimit());
  for (size_t i = 0; i < ranges.sequence().size(); ++i)
    times[ranges.sequence()[i]->id().value] = static_cast<int64_t>(i);
  // Which of two buffers takes another's place is an estimate; both ways are tried where they differ.
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
