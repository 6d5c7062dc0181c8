#include "core/analysis/memory/memory_profile.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include "core/analysis/dataflow/alias_rules.h"
#include "core/analysis/memory/memory_space.h"

namespace hilo {
namespace {

bool isOfHost(const BufferAllocation& allocation) { return allocation.color == kHostSpace; }

void addTo(MemoryTotals& totals, const BufferAllocation& allocation) {
  const int64_t bytes = allocation.sizeBytes;
  if (allocation.isThreadLocal) {
    totals.threadLocal += bytes;
    return;
  }
  if (isOfHost(allocation)) {
    totals.host += bytes;
    return;
  }
  totals.total += bytes;
  if (allocation.isEntryParameter) {
    totals.parameters += bytes;
  } else if (allocation.isConstant) {
    totals.constants += bytes;
  } else if (allocation.maybeLiveOut) {
    totals.outputs += bytes;
  } else {
    totals.temporaries += bytes;
  }
}

class Profiler {
 public:
  Profiler(const ValueLiveRanges& ranges, const PlanValues& values, const BufferAssignment& plan)
      : ranges_(ranges), dataflow_(ranges.aliases().dataflow()), plan_(plan), names_(values) {}

  MemoryProfile run() {
    for (size_t i = 0; i < plan_.allocations.size(); ++i) {
      addTo(profile_.totals, plan_.allocations[i]);
      if (!plan_.allocations[i].isThreadLocal && !isOfHost(plan_.allocations[i])) addPlaces(i);
    }
    sumLiveBytes();
    return std::move(profile_);
  }

 private:
  // Values that begin at one byte share a place.
  void addPlaces(size_t index) {
    const BufferAllocation& allocation = plan_.allocations[index];
    const bool fixed = allocation.isEntryParameter || allocation.isConstant;
    absl::btree_map<int64_t, std::vector<PlacedValue>> byOffset;
    if (fixed) byOffset[0];
    for (const AssignedBuffer& assigned : allocation.assigned) {
      const LogicalBuffer* buffer = plan_.buffer(assigned.bufferId);
      if (buffer == nullptr) continue;
      const std::optional<ValueId> found = names_.find(*buffer);
      profile_.unknownValues += !found;
      // Constants of computations that are applied have a place, but no time in the sequence.
      if (!found || !ranges_.of(*found)) continue;
      const HloValue& value = dataflow_.value(*found);
      byOffset[assigned.offsetBytes].push_back({.instruction = value.instruction().id(),
                                                .index = value.index(),
                                                .name = toString(value.definition()),
                                                .range = *ranges_.of(value.id),
                                                .sizeBytes = assigned.sizeBytes,
                                                .allocation = index,
                                                .offsetBytes = assigned.offsetBytes});
    }
    for (auto& [offset, values] : byOffset) addPlace(values, fixed, fixed ? allocation.sizeBytes : 0);
  }

  void addPlace(std::vector<PlacedValue>& values, bool fixed, int64_t bytes) {
    std::ranges::sort(values, {}, [](const PlacedValue& v) { return std::pair(v.range.start, v.range.end); });
    const auto place = static_cast<uint32_t>(profile_.placeBytes.size());
    for (PlacedValue& value : values) {
      value.place = place;
      bytes = std::max(bytes, value.sizeBytes);
      profile_.values.push_back(std::move(value));
    }
    profile_.placeBytes.push_back(bytes);
    profile_.placeIsFixed.push_back(fixed);
  }

  // A place takes the bytes of the largest value that is in it just then.
  void sumLiveBytes() {
    const auto steps = static_cast<size_t>(ranges_.endTime()) + 1;
    std::vector<int64_t> changes(steps + 1);
    for (size_t place = 0; place < profile_.placeBytes.size(); ++place) {
      if (profile_.placeIsFixed[place]) changes[0] += profile_.placeBytes[place];
    }
    for (size_t i = 0; i < profile_.values.size();) {
      const uint32_t place = profile_.values[i].place;
      int64_t end = -1;
      int64_t bytes = 0;
      for (; i < profile_.values.size() && profile_.values[i].place == place; ++i) {
        if (profile_.placeIsFixed[place]) continue;
        const PlacedValue& value = profile_.values[i];
        if (value.range.start > end) {
          if (end >= 0) changes[static_cast<size_t>(end) + 1] -= bytes;
          changes[static_cast<size_t>(value.range.start)] += value.sizeBytes;
          bytes = value.sizeBytes;
        } else if (value.sizeBytes > bytes) {
          changes[static_cast<size_t>(value.range.start)] += value.sizeBytes - bytes;
          bytes = value.sizeBytes;
        }
        end = std::max(end, value.range.end);
      }
      if (end >= 0) changes[static_cast<size_t>(end) + 1] -= bytes;
    }
    profile_.liveBytes.resize(steps);
    int64_t live = 0;
    for (size_t step = 0; step < steps; ++step) {
      live += changes[step];
      profile_.liveBytes[step] = live;
      if (live <= profile_.peakBytes) continue;
      profile_.peakBytes = live;
      profile_.peakStep = static_cast<int64_t>(step);
    }
  }

  const ValueLiveRanges& ranges_;
  const DataflowAnalysis& dataflow_;
  const BufferAssignment& plan_;
  const PlanValues& names_;
  MemoryProfile profile_;
};

std::string groupName(const Instruction& instruction, MemoryGrouping grouping) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  switch (grouping) {
    case MemoryGrouping::Scope: {
      const std::string_view name = instruction.opName();
      const size_t slash = name.rfind('/');
      return std::string(slash == std::string_view::npos ? std::string_view() : name.substr(0, slash));
    }
    case MemoryGrouping::Source:
      if (metadata == nullptr || metadata->sourceFile.empty()) return "";
      return fmt::format("{}:{}", metadata->sourceFile, metadata->sourceLine);
    case MemoryGrouping::Opcode:
      return std::string(instruction.opcodeText());
  }
  return "";
}

}  // namespace

PlanValues::PlanValues(const DataflowAnalysis& dataflow)
    : dataflow_(dataflow), before_(dataflow.values().size()) {
  lastOfName_.reserve(dataflow.values().size());
  for (const HloValue& value : dataflow.values()) {
    ValueId& last = lastOfName_[{value.instruction().name(), value.index()}];
    before_[value.id.value] = std::exchange(last, value.id);
  }
}

std::optional<ValueId> PlanValues::find(const LogicalBuffer& buffer) const {
  const auto last = lastOfName_.find({buffer.instruction, shapeIndexOf(buffer.shapeIndex)});
  if (last == lastOfName_.end()) return std::nullopt;
  for (ValueId value = last->second; value.valid(); value = before_[value.value]) {
    const Computation& computation = dataflow_.value(value).instruction().parent();
    if (buffer.computation.empty() || computation.name() == buffer.computation) return value;
  }
  return std::nullopt;
}

MemoryProfile profileMemory(const ValueLiveRanges& ranges, const BufferAssignment& plan) {
  return profileMemory(ranges, PlanValues(ranges.aliases().dataflow()), plan);
}

MemoryProfile profileMemory(const ValueLiveRanges& ranges, const PlanValues& values,
                            const BufferAssignment& plan) {
  return Profiler(ranges, values, plan).run();
}

std::vector<size_t> liveSetAt(const MemoryProfile& profile, int64_t step, bool fixed) {
  std::vector<size_t> live;
  for (size_t i = 0; i < profile.values.size();) {
    const uint32_t place = profile.values[i].place;
    std::optional<size_t> best;
    for (; i < profile.values.size() && profile.values[i].place == place; ++i) {
      const PlacedValue& value = profile.values[i];
      const bool holds =
          profile.placeIsFixed[place] || (value.range.start <= step && step <= value.range.end);
      if (holds && (!best || value.sizeBytes > profile.values[*best].sizeBytes)) best = i;
    }
    if (best && (fixed || !profile.placeIsFixed[place])) live.push_back(*best);
  }
  std::ranges::sort(live, {}, [&](size_t i) { return std::pair(-profile.values[i].sizeBytes, i); });
  return live;
}

std::vector<MemoryGroup> groupValues(const MemoryProfile& profile, const Module& module,
                                     std::span<const size_t> values, MemoryGrouping grouping) {
  absl::btree_map<std::string, MemoryGroup> groups;
  for (const size_t i : values) {
    const Instruction* instruction = module.instruction(profile.values[i].instruction);
    MemoryGroup& group = groups[groupName(*instruction, grouping)];
    group.bytes += profile.values[i].sizeBytes;
    ++group.values;
  }
  std::vector<MemoryGroup> sorted;
  for (auto& [name, group] : groups) {
    group.name = name;
    sorted.push_back(std::move(group));
  }
  std::ranges::sort(sorted, {}, [](const MemoryGroup& group) {
    return std::tuple(-group.bytes, std::string_view(group.name));
  });
  return sorted;
}

RankedGroups rankGroups(const MemoryProfile& profile, const Module& module, MemoryGrouping grouping) {
  std::vector<std::string> names;
  std::vector<double> weights;
  RankedGroups ranked;
  absl::flat_hash_map<std::string, uint32_t> known;
  absl::flat_hash_map<InstructionId, uint32_t> ofInstruction;
  for (const PlacedValue& value : profile.values) {
    const auto [at, isNew] = ofInstruction.try_emplace(value.instruction);
    if (isNew) {
      std::string name = groupName(*module.instruction(value.instruction), grouping);
      const auto [group, isNewGroup] = known.try_emplace(name, static_cast<uint32_t>(names.size()));
      if (isNewGroup) {
        names.push_back(std::move(name));
        weights.push_back(0);
      }
      at->second = group->second;
    }
    weights[at->second] +=
        static_cast<double>(value.sizeBytes) * static_cast<double>(value.range.end - value.range.start + 1);
    ranked.of.push_back(at->second);
  }
  std::vector<uint32_t> order(names.size()), rank(names.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(-weights[i], i); });
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    ranked.names.push_back(std::move(names[order[i]]));
  }
  for (uint32_t& group : ranked.of) group = rank[group];
  return ranked;
}

std::vector<AliasRow> mustAliases(const AliasAnalysis& aliases) {
  const Module& module = aliases.dataflow().module();
  std::vector<AliasRow> rows;
  const auto add = [&](std::string_view kind, const Instruction& from, const ShapeIndex& fromIndex,
                       const Instruction& to, const ShapeIndex& toIndex, const Instruction& why) {
    const auto part = subshapeAt(to.shape(), toIndex);
    if (!part || !part->isArray()) return;
    rows.push_back({std::string(kind), toString(HloPosition{&from, fromIndex}),
                    toString(HloPosition{&to, toIndex}), why.id(), bufferBytes(*part, 8)});
  };
  const Computation& entry = *module.entry();
  for (const AliasEntry& alias : module.get<Attr::InputOutputAlias>()) {
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(entry.parameters().size())) continue;
    const Instruction& parameter = *entry.parameters()[static_cast<size_t>(alias.parameter)];
    add("input-output", parameter, shapeIndexOf(alias.parameterIndex), *entry.root(),
        shapeIndexOf(alias.outputIndex), *entry.root());
  }
  for (const Computation* computation : module.computations()) {
    if (aliases.dataflow().callGraph().node(*computation).context == CallContext::Embedded) continue;
    for (const Instruction* i : computation->instructions()) {
      for (const InPlacePair& pair : inPlacePairs(*i, aliases.backend())) {
        if (pair.operandNumber < i->operandCount())
          add("in-place", *i->operand(pair.operandNumber), pair.operandIndex, *i, pair.outputIndex, *i);
      }
      const auto parts = aliases.dataflow().subshapes(*i).parts();
      for (const SubshapeTable::Part& part : parts) {
        if (i->opcode() == Opcode::While) add("loop", *i->operand(0), part.index, *i, part.index, *i);
        if (i->opcode() != Opcode::Conditional) continue;
        for (const Computation* branch : i->calledComputations())
          add("branch", *branch->root(), part.index, *i, part.index, *i);
      }
    }
  }
  std::ranges::sort(rows, {}, [](const AliasRow& row) {
    return std::tuple(-row.bytes, row.instruction, std::string_view(row.from), std::string_view(row.to));
  });
  return rows;
}

}  // namespace hilo
