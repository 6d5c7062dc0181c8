#include "core/compiler/passes/collectives/same_on_devices.h"

#include <algorithm>

#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

constexpr int kDeepest = 32;

std::optional<std::vector<int64_t>> joined(const Instruction& collective, int64_t device) {
  const DeviceGrid grid = gridOf(collective.module());
  if (collective.opcode() == Opcode::CollectivePermute) {
    std::vector<int64_t> all;
    for (int64_t each = 0; each < grid.count(); ++each) all.push_back(each);
    return all;
  }
  auto group = groupOf(collective, grid, device);
  return group ? std::optional(*std::move(group)) : std::nullopt;
}

// Whether `source` gives the same to all devices that the other one joins.
bool joinsAllOf(const Instruction& source, const Instruction& collective) {
  for (int64_t device = 0; device < gridOf(source.module()).count(); ++device) {
    const auto given = joined(source, device), wanted = joined(collective, device);
    if (!given || !wanted) return false;
    for (const int64_t other : *wanted) {
      if (std::ranges::find(*given, other) == given->end()) return false;
    }
  }
  return true;
}

bool isReplicatedParameter(const Instruction& i) {
  const Sharding* sharding = i.get<Attr::Sharding>();
  return i.parent().isEntry() && sharding != nullptr && sharding->type == Sharding::Type::Replicated;
}

bool isSame(const Instruction& i, const Instruction& collective, int depth) {
  if (depth == kDeepest) return false;
  switch (i.opcode()) {
    case Opcode::Constant:
    case Opcode::Iota:
      return true;
    case Opcode::Parameter:
      return isReplicatedParameter(i);
    case Opcode::AllReduce:
    case Opcode::AllGather:
      return i.operandCount() == 1 && joinsAllOf(i, collective);
    case Opcode::Call:
      return isSame(*i.calledComputations()[0]->root(), collective, depth + 1);
    default:
      break;
  }
  const bool isPure = isElementwise(i.opcode()) || i.opcode() == Opcode::Broadcast ||
                      i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Bitcast ||
                      i.opcode() == Opcode::Transpose || i.opcode() == Opcode::Slice ||
                      i.opcode() == Opcode::Copy || i.opcode() == Opcode::Reduce;
  return isPure && i.operandCount() > 0 && std::ranges::all_of(i.operands(), [&](const Instruction* operand) {
           return isSame(*operand, collective, depth + 1);
         });
}

}  // namespace

bool isSameOnDevicesOf(const Instruction& value, const Instruction& collective) {
  return collective.module().replicaCount() == 1 && isSame(value, collective, 0);
}

}  // namespace hilo
