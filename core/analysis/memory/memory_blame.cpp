#include "core/analysis/memory/memory_blame.h"

#include <absl/container/flat_hash_map.h>

#include "core/base/enum_table.h"

namespace hilo {
namespace {

constexpr int64_t kTellFrom = 1000;  // parts of a heap

bool isHeap(const BufferAllocation& allocation) {
  return !allocation.isThreadLocal && placeKindOf(allocation) == PlaceKind::Temporary;
}

// What every offset in an allocation is a multiple of, at most 256: between values lies no less.
int64_t alignmentOf(const MemoryProfile& profile, size_t allocation) {
  uint64_t bits = 256;
  for (const PlacedValue& value : profile.values) {
    if (value.allocation == allocation) bits |= static_cast<uint64_t>(value.offsetBytes);
  }
  return static_cast<int64_t>(bits & (~bits + 1));
}

// Bytes of an allocation in use at each step: what its values cover, each byte once, with what aligns them.
std::vector<int64_t> usedBytes(const MemoryProfile& profile, size_t allocation) {
  const int64_t alignment = alignmentOf(profile, allocation);
  std::vector<int64_t> changes(profile.liveBytes.size() + 1);
  absl::flat_hash_map<uint32_t, LiveRange> open;  // by place: values of one place follow each other
  for (const PlacedValue& value : profile.values) {
    if (value.allocation != allocation) continue;
    int64_t start = value.range.start;
    if (const auto found = open.find(value.place); found != open.end()) {
      if (value.range.end <= found->second.end) continue;
      start = std::max(start, found->second.end + 1);
      found->second.end = value.range.end;
    } else {
      open[value.place] = value.range;
    }
    const int64_t bytes = (value.sizeBytes + alignment - 1) / alignment * alignment;
    changes[static_cast<size_t>(start)] += bytes;
    changes[std::min(static_cast<size_t>(value.range.end) + 1, changes.size() - 1)] -= bytes;
  }
  for (size_t i = 1; i < changes.size(); ++i) changes[i] += changes[i - 1];
  return changes;
}

// Bytes of the heap under a value that nothing is in at a step.
int64_t freeBelow(const MemoryProfile& profile, const PlacedValue& value, int64_t step) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const PlacedValue& other : profile.values) {
    if (other.allocation == value.allocation && other.offsetBytes < value.offsetBytes &&
        other.range.start <= step && step <= other.range.end)
      taken.emplace_back(other.offsetBytes, std::min(other.offsetBytes + other.sizeBytes, value.offsetBytes));
  }
  std::ranges::sort(taken);
  int64_t free = 0, at = 0;
  for (const auto& [begin, end] : taken) {
    free += std::max<int64_t>(begin - at, 0);
    at = std::max(at, end);
  }
  return free + value.offsetBytes - at;
}

using Key = std::pair<InstructionId, ShapeIndex>;

// The latest other value of the same place before it, else the next one after it.
std::string neighbourOf(const MemoryProfile& profile, size_t i) {
  const PlacedValue& value = profile.values[i];
  if (i > 0 && profile.values[i - 1].place == value.place) return profile.values[i - 1].name;
  if (i + 1 < profile.values.size() && profile.values[i + 1].place == value.place)
    return profile.values[i + 1].name;
  return "";
}

}  // namespace

PlaceKind placeKindOf(const BufferAllocation& allocation) {
  if (allocation.isEntryParameter) return PlaceKind::Parameter;
  if (allocation.isConstant) return PlaceKind::Constant;
  return allocation.maybeLiveOut ? PlaceKind::Output : PlaceKind::Temporary;
}

std::string_view placeKindName(PlaceKind kind) {
  static constexpr EnumTable<PlaceKind, std::string_view> kNames(
      {"parameter", "constant", "output", "temporary"});
  return kNames[kind];
}

std::vector<HeapEnd> heapEnds(const MemoryProfile& profile, const BufferAssignment& plan, size_t limit) {
  std::vector<HeapEnd> ends;
  std::vector<std::vector<int64_t>> used(plan.allocations.size());
  std::vector<int64_t> needed(plan.allocations.size());
  for (size_t i = 0; i < profile.values.size(); ++i) {
    const PlacedValue& value = profile.values[i];
    const size_t heap = value.allocation;
    if (value.sizeBytes == 0 || !isHeap(plan.allocations[heap])) continue;
    if (used[heap].empty()) {
      used[heap] = usedBytes(profile, heap);
      needed[heap] = std::ranges::max(used[heap]);
    }
    const int64_t above = value.offsetBytes + value.sizeBytes - needed[heap];
    if (above > needed[heap] / kTellFrom) ends.push_back({.value = i});
  }
  std::ranges::sort(ends, {}, [&](const HeapEnd& end) {
    return std::pair(-profile.values[end.value].sizeBytes, end.value);
  });
  if (ends.size() > limit) ends.resize(limit);
  for (HeapEnd& end : ends) {
    const PlacedValue& value = profile.values[end.value];
    const std::vector<int64_t>& inUse = used[value.allocation];
    end.neededBytes = needed[value.allocation];
    end.fullestStep = value.range.start;
    const int64_t last = std::min(value.range.end, static_cast<int64_t>(profile.liveBytes.size()) - 1);
    for (int64_t step = value.range.start; step <= last; ++step) {
      if (inUse[static_cast<size_t>(step)] > inUse[static_cast<size_t>(end.fullestStep)])
        end.fullestStep = step;
    }
    end.freeBelowBytes = freeBelow(profile, value, end.fullestStep);
  }
  return ends;
}

std::vector<PlacementDifference> comparePlacements(const MemoryProfile& a, const BufferAssignment& planA,
                                                   const MemoryProfile& b, const BufferAssignment& planB) {
  absl::flat_hash_map<Key, size_t> inB;
  for (size_t i = 0; i < b.values.size(); ++i) inB[{b.values[i].instruction, b.values[i].index}] = i;
  std::vector<PlacementDifference> differences;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const PlacedValue& left = a.values[i];
    const auto found = inB.find({left.instruction, left.index});
    if (found == inB.end() || left.sizeBytes == 0) continue;
    const PlacedValue& right = b.values[found->second];
    const PlaceKind kindA = placeKindOf(planA.allocations[left.allocation]);
    const PlaceKind kindB = placeKindOf(planB.allocations[right.allocation]);
    if (kindA == kindB) continue;
    differences.push_back({.instruction = left.instruction,
                           .index = left.index,
                           .name = left.name,
                           .sizeBytes = left.sizeBytes,
                           .a = kindA,
                           .b = kindB,
                           .allocationA = planA.allocations[left.allocation].index,
                           .offsetA = left.offsetBytes,
                           .allocationB = planB.allocations[right.allocation].index,
                           .offsetB = right.offsetBytes,
                           .sharedA = neighbourOf(a, i),
                           .sharedB = neighbourOf(b, found->second)});
  }
  std::ranges::sort(differences, {}, [](const PlacementDifference& d) {
    return std::tuple(-d.sizeBytes, d.instruction, std::string_view(d.name));
  });
  return differences;
}

}  // namespace hilo
