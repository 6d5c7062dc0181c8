// Rules on replica groups and source-target pairs.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/rules.h"
#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

OpView viewOf(const Instruction& instruction, const VerifyContext& context) {
  return {.opcode = instruction.opcode(),
          .opcodeText = instruction.opcodeText(),
          .operands = {},
          .attributes = instruction.attributeList(),
          .declared = std::nullopt,
          .replicaCount = context.replicaCount,
          .partitionCount = context.partitionCount};
}

// Every id 0..n-1 once. False when reported.
bool verifyGroupIds(const Instruction& instruction, const std::vector<std::vector<int64_t>>& groups,
                    int64_t count, VerifyContext& context) {
  std::vector<bool> seen(static_cast<size_t>(count), false);
  for (const auto& group : groups) {
    for (int64_t id : group) {
      if (id < 0 || id >= count) {
        context.report.error(
            VerifyKind::ReplicaGroups, instruction,
            fmt::format("replica_groups of {} hold {} devices and name device {}, expected 0 to {}",
                        instruction.name(), count, id, count - 1));
        return false;
      }
      if (seen[static_cast<size_t>(id)]) {
        context.report.error(
            VerifyKind::ReplicaGroups, instruction,
            fmt::format("replica_groups of {} name device {} twice", instruction.name(), id));
        return false;
      }
      seen[static_cast<size_t>(id)] = true;
    }
  }
  return true;
}

// An iota in groups of one size names every device once: how many, without a list of them. 0 where it is
// none, or its numbers do not fit together.
int64_t devicesOfIota(const ReplicaGroups& groups) {
  const auto sizes = groups.iota.reshapeDimensions, order = groups.iota.transposePermutation;
  if (groups.form != ReplicaGroups::Form::Iota || groups.groupSize <= 0 || groups.groupCount <= 0) return 0;
  const auto count = multiplySizes(groups.groupCount, groups.groupSize);
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || product > count.value_or(0) / size) return 0;
    product *= size;
  }
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return 0;
  }
  return product == count && (order.empty() || order.size() == sizes.size()) ? product : 0;
}

int64_t expectedDevices(GroupMode mode, const VerifyContext& context) {
  switch (mode) {
    case GroupMode::CrossPartition:
      return context.partitionCount;
    case GroupMode::FlattenedId:
      return multiplySizes(context.replicaCount, context.partitionCount).value_or(0);
    case GroupMode::CrossReplica:
    case GroupMode::CrossReplicaAndPartition:
      return context.replicaCount;
  }
  return 1;
}

void verifyDeviceCount(const Instruction& instruction, int64_t count, GroupMode mode,
                       VerifyContext& context) {
  const int64_t expected = expectedDevices(mode, context);
  if (expected == 1 || count == expected) return;
  context.report.error(VerifyKind::ReplicaGroups, instruction,
                       fmt::format("replica_groups of {} hold {} devices, expected {} in {} mode",
                                   instruction.name(), count, expected, groupModeText(mode)));
}

}  // namespace

void verifyReplicaGroups(const Instruction& instruction, VerifyContext& context) {
  const auto kind = VerifyKind::ReplicaGroups;
  auto mode = groupMode(viewOf(instruction, context));
  if (!mode) return;  // the shape rule or, for all-reduce, the next line says so
  const ReplicaGroups* written = instruction.get<Attr::ReplicaGroups>();
  const bool isEmptyList =
      written == nullptr || (written->form == ReplicaGroups::Form::List && written->groups.empty());
  if (isEmptyList) {
    if (*mode != GroupMode::FlattenedId) return;
    context.report.error(
        kind, instruction,
        fmt::format("{} with use_global_device_ids must write its replica_groups", instruction.name()));
    return;
  }
  if (const int64_t count = devicesOfIota(*written); count > 0)
    return verifyDeviceCount(instruction, count, *mode, context);
  const auto groups = expandReplicaGroups(*written);
  if (groups.empty()) {
    context.report.error(
        kind, instruction,
        fmt::format("the numbers of replica_groups of {} do not fit together", instruction.name()));
    return;
  }
  int64_t count = 0;
  for (const auto& group : groups) {
    count += static_cast<int64_t>(group.size());
    if (!group.empty()) continue;
    context.report.error(kind, instruction,
                         fmt::format("replica_groups of {} have an empty group", instruction.name()));
    return;
  }
  if (!verifyGroupIds(instruction, groups, count, context)) return;
  verifyDeviceCount(instruction, count, *mode, context);
  const bool mayDiffer =
      instruction.opcode() == Opcode::AllReduce || instruction.opcode() == Opcode::AllReduceStart;
  const auto other =
      std::ranges::find_if(groups, [&](const auto& group) { return group.size() != groups[0].size(); });
  if (mayDiffer || other == groups.end()) return;
  context.report.error(kind, instruction,
                       fmt::format("replica_groups of {} have sizes {} and {}, expected one size",
                                   instruction.name(), groups[0].size(), other->size()));
}

namespace {

// A permute of slices sends as many from a device as it has offsets.
int64_t pairsADevice(const Instruction& instruction) {
  if (!instruction.has(Attr::SliceSizesList) || instruction.operandCount() != 4) return 1;
  Shape offsets = instruction.operand(2)->shape();
  if (instruction.operand(0)->shape().isTuple() && !offsets.tupleShapes().empty())
    offsets = offsets.tupleShapes()[0];
  return static_cast<int64_t>(std::max<size_t>(offsets.tupleShapes().size(), 1));
}

}  // namespace

void verifySourceTargetPairs(const Instruction& instruction, VerifyContext& context) {
  const auto kind = VerifyKind::SourceTargetPairs;
  const auto pairs = instruction.get<Attr::SourceTargetPairs>();
  const int64_t limit = instruction.has(Attr::ChannelId) ? context.partitionCount : context.replicaCount;
  const int64_t allowed = pairsADevice(instruction);
  absl::flat_hash_map<int64_t, int64_t> seen[2];
  for (const auto pair : pairs) {
    if (pair.size() != 2) {
      context.report.error(kind, instruction,
                           fmt::format("source_target_pairs of {} hold a list of {}, expected pairs",
                                       instruction.name(), pair.size()));
      return;
    }
    for (size_t side = 0; side < 2; ++side) {
      const std::string_view role = side == 0 ? "source" : "target";
      if (pair[side] < 0 || (limit > 1 && pair[side] >= limit)) {
        context.report.error(kind, instruction,
                             fmt::format("{} {} of {}, expected 0 to {}", role, pair[side],
                                         instruction.name(), std::max<int64_t>(limit - 1, 0)));
        return;
      }
      if (++seen[side][pair[side]] <= allowed) continue;
      context.report.error(kind, instruction,
                           fmt::format("device {} is {} of more than {} pair of {}", pair[side], role,
                                       allowed, instruction.name()));
      return;
    }
  }
}

}  // namespace hilo
