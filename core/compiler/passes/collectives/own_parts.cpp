#include "core/compiler/passes/collectives/own_parts.h"

#include <algorithm>

#include "core/compiler/passes/scalar_value.h"
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

std::optional<size_t> cutDimension(const Instruction& slice) {
  const Shape whole = slice.operand(0)->shape();
  std::optional<size_t> cut;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (whole.dimension(d) == slice.shape().dimension(d)) continue;
    if (cut) return std::nullopt;
    cut = d;
  }
  return cut;
}

std::optional<std::vector<int64_t>> offsetsOnDevices(const Instruction& slice, size_t dimension) {
  const DeviceGrid grid = gridOf(slice.module());
  if (slice.operandCount() != slice.shape().rank() + 1) return std::nullopt;
  std::vector<int64_t> offsets;
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto known = [device, grid](const Instruction& i) -> std::optional<int64_t> {
      if (i.opcode() == Opcode::ReplicaId) return device / grid.partitions;
      if (i.opcode() == Opcode::PartitionId) return device % grid.partitions;
      return std::nullopt;
    };
    const auto offset = scalarValue(*slice.operand(1 + dimension), known);
    if (!offset) return std::nullopt;
    offsets.push_back(*offset);
  }
  return offsets;
}

bool takesOwnParts(const Instruction& slice, const Instruction& collective, size_t dimension, int64_t part) {
  const auto offsets = offsetsOnDevices(slice, dimension);
  if (!offsets) return false;
  for (size_t device = 0; device < offsets->size(); ++device) {
    const auto id = static_cast<int64_t>(device);
    const auto group = groupOf(collective, gridOf(slice.module()), id);
    if (!group) return false;
    const auto place = std::ranges::find(*group, id) - group->begin();
    if ((*offsets)[device] != place * part) return false;
  }
  return true;
}

}  // namespace hilo
