#include "core/hlo/eval/collective_groups.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include "core/hlo/eval/eval_context.h"

namespace hilo {
namespace {

bool takesGlobalIds(Opcode opcode) {
  const auto attributes = opcodeAttributes(opcode);
  return std::ranges::find(attributes, Attr::UseGlobalDeviceIds) != attributes.end();
}

template <typename T>
Result<T> named(const Instruction& instruction, Result<T> devices) {
  if (!devices) return malformed(instruction, std::move(devices.error().message));
  return devices;
}

}  // namespace

Result<DeviceGroupMode> groupModeOf(const Instruction& instruction) {
  const bool hasChannel = instruction.has(Attr::ChannelId);
  EVAL_REQUIRE(
      instruction.opcode() != Opcode::AllReduce || instruction.get<Attr::ChannelId>().value_or(1) > 0,
      "the channel_id of an all-reduce must be positive");
  if (!takesGlobalIds(instruction.opcode()))
    return hasChannel ? DeviceGroupMode::CrossPartition : DeviceGroupMode::CrossReplica;
  const bool global = instruction.get<Attr::UseGlobalDeviceIds>().value_or(false);
  if (hasChannel) return global ? DeviceGroupMode::FlattenedId : DeviceGroupMode::CrossReplicaAndPartition;
  EVAL_REQUIRE(!global, "use_global_device_ids needs a channel_id");
  return DeviceGroupMode::CrossReplica;
}

Result<std::vector<int64_t>> groupOf(const Instruction& instruction, DeviceGrid grid, int64_t device) {
  TRY(const DeviceGroupMode mode, groupModeOf(instruction));
  std::vector<std::vector<int64_t>> groups;
  if (const ReplicaGroups* written = instruction.get<Attr::ReplicaGroups>())
    groups = expandReplicaGroups(*written);
  return named(instruction, devicesOfGroup(mode, groups, grid, device));
}

Result<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const Instruction& instruction,
                                                         std::span<const std::vector<int64_t>> pairs,
                                                         DeviceGroupMode mode, DeviceGrid grid,
                                                         int64_t device) {
  return named(instruction, devicesOfPairs(mode, pairs, grid, device));
}

Result<std::optional<std::vector<std::vector<int64_t>>>> sendRecvPairs(const Instruction& instruction) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != "_xla_send_recv_source_target_pairs") continue;
    const std::string_view text = attribute.value;
    std::vector<int64_t> numbers;
    for (const auto& piece : absl::StrSplit(absl::string_view(text.data(), text.size()),
                                            absl::ByAnyChar("{}, "), absl::SkipEmpty())) {
      int64_t number = 0;
      EVAL_REQUIRE(absl::SimpleAtoi(piece, &number), "its source-target pairs are no numbers");
      numbers.push_back(number);
    }
    EVAL_REQUIRE(numbers.size() % 2 == 0, "its source-target pairs are no pairs");
    std::vector<std::vector<int64_t>> pairs;
    for (size_t i = 0; i < numbers.size(); i += 2) pairs.push_back({numbers[i], numbers[i + 1]});
    return pairs;
  }
  return std::nullopt;
}

}  // namespace hilo
