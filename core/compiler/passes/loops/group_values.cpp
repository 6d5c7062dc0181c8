#include "core/compiler/passes/loops/group_values.h"

#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

constexpr int kMaxDepth = 16;
constexpr int64_t kMaxDevices = 4096;

struct Device {
  int64_t replica = 0, partition = 0;
};

std::optional<int64_t> entryOf(const Instruction& table, int64_t index) {
  const Literal& literal = table.literal();
  if (literal.isElided() || literal.isTuple()) return std::nullopt;
  return integerAt(literal, index);
}

bool isWideInteger(ElementType type) {
  return type == ElementType::S32 || type == ElementType::S64 || type == ElementType::U32;
}

// Of an array with one element. Values that leave 31 bits count as not known: types would differ on them.
class DeviceValue {
 public:
  explicit DeviceValue(Device device) : device_(device) {}

  std::optional<int64_t> of(const Instruction& i, int depth = 0) const {
    if (depth > kMaxDepth || !i.shape().isArray() || i.shape().elementCount() != 1 ||
        !isWideInteger(i.shape().elementType()))
      return std::nullopt;
    const auto value = compute(i, depth + 1);
    const bool fits = value && *value >= 0 && *value <= INT32_MAX;
    return fits ? value : std::nullopt;
  }

 private:
  std::optional<int64_t> compute(const Instruction& i, int depth) const {
    switch (i.opcode()) {
      case Opcode::Constant:
        return entryOf(i, 0);
      case Opcode::PartitionId:
        return device_.partition;
      case Opcode::ReplicaId:
        return device_.replica;
      case Opcode::Convert:
      case Opcode::Reshape:
      case Opcode::Bitcast:
      case Opcode::Copy:
      case Opcode::Broadcast:
        return of(*i.operand(0), depth);
      case Opcode::DynamicSlice:
        return fromTable(i, depth);
      case Opcode::Add:
      case Opcode::Subtract:
      case Opcode::Multiply:
      case Opcode::Divide:
      case Opcode::Remainder:
        return calculate(i, depth);
      default:
        return std::nullopt;
    }
  }

  std::optional<int64_t> fromTable(const Instruction& slice, int depth) const {
    const Instruction& table = *slice.operand(0);
    if (table.opcode() != Opcode::Constant || table.shape().dimensions().size() != 1) return std::nullopt;
    const auto index = of(*slice.operand(1), depth);
    if (!index) return std::nullopt;
    return entryOf(table, std::min(*index, table.shape().dimension(0) - 1));
  }

  std::optional<int64_t> calculate(const Instruction& i, int depth) const {
    const auto a = of(*i.operand(0), depth), b = of(*i.operand(1), depth);
    if (!a || !b) return std::nullopt;
    switch (i.opcode()) {
      case Opcode::Add:
        return *a + *b;
      case Opcode::Subtract:
        return *a - *b;
      case Opcode::Multiply:
        return *a * *b;
      default:
        if (*b == 0) return std::nullopt;
        return i.opcode() == Opcode::Divide ? *a / *b : *a % *b;
    }
  }

  Device device_;
};

// The devices of each group; none where that is not known.
std::vector<std::vector<Device>> groupsOf(const Instruction& collective) {
  const Module& module = collective.parent().module();
  const int64_t replicas = module.replicaCount(), partitions = module.partitionCount();
  const bool crossesPartitions = collective.has(Attr::ChannelId);
  const bool global = collective.get<Attr::UseGlobalDeviceIds>().value_or(false);
  if (replicas * partitions > kMaxDevices || (global && !crossesPartitions)) return {};
  std::vector<std::vector<int64_t>> ids;
  if (const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>()) ids = expandReplicaGroups(*groups);
  if (ids.empty()) {
    ids.emplace_back();
    for (int64_t id = 0; id < (global ? replicas * partitions : replicas); ++id) ids.back().push_back(id);
  }
  std::vector<std::vector<Device>> groups;
  for (const std::vector<int64_t>& group : ids) {
    std::vector<std::vector<Device>> made(global || crossesPartitions ? 1 : static_cast<size_t>(partitions));
    for (const int64_t id : group) {
      if (id < 0 || id >= (global ? replicas * partitions : replicas)) return {};
      if (global) {
        made[0].push_back({id / partitions, id % partitions});
        continue;
      }
      for (int64_t p = 0; p < partitions; ++p)
        made[crossesPartitions ? 0 : static_cast<size_t>(p)].push_back({id, p});
    }
    groups.insert(groups.end(), made.begin(), made.end());
  }
  return groups;
}

}  // namespace

bool isSameWithinGroups(const Instruction& value, const Instruction& collective) {
  const auto groups = groupsOf(collective);
  for (const std::vector<Device>& group : groups) {
    std::optional<int64_t> shared;
    for (const Device device : group) {
      const auto own = DeviceValue(device).of(value);
      if (!own || (shared && *shared != *own)) return false;
      shared = own;
    }
  }
  return !groups.empty();
}

}  // namespace hilo
