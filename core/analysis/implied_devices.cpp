#include "core/analysis/implied_devices.h"

#include <algorithm>

#include "core/analysis/devices_named.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

// How often `small` goes into `large` along the one dimension in which they differ; 1 where that is not so.
int64_t timesLarger(Shape small, Shape large) {
  if (!small.isArray() || !large.isArray() || small.rank() != large.rank()) return 1;
  int64_t times = 1;
  for (size_t d = 0; d < small.rank(); ++d) {
    const int64_t from = small.dimension(d), to = large.dimension(d);
    if (from == to) continue;
    if (times > 1 || from < 1 || to < from || to % from != 0) return 1;
    times = to / from;
  }
  return times;
}

int64_t devicesByShapes(const Instruction& collective) {
  if (collective.operands().empty()) return 1;
  const Shape operand = collective.operand(0)->shape(), result = collective.shape();
  switch (collective.opcode()) {
    case Opcode::AllGather:
      return timesLarger(operand, result.isTuple() ? operand : result);
    case Opcode::AllGatherStart: {
      const bool isUsual = result.isTuple() && result.tupleShapes().size() == 2;
      return isUsual ? timesLarger(operand, result.tupleShapes()[1]) : 1;
    }
    case Opcode::ReduceScatter:
      return timesLarger(result, operand);
    default:
      return 1;
  }
}

bool isAmongPartitions(const Instruction& instruction) {
  const OpcodeClass family = opcodeClass(instruction.opcode());
  if (family != OpcodeClass::Collective || instruction.operands().empty()) return false;
  const auto mode = groupModeOf(instruction);
  return mode && *mode == DeviceGroupMode::CrossPartition;
}

}  // namespace

DeviceGrid impliedGrid(const Module& module) {
  const DeviceGrid asked = gridOf(module);
  if (asked.count() != 1) return asked;
  int64_t devices = std::max<int64_t>(1, devicesNamed(module));
  bool areByShapes = devices == 1, arePartitions = false;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (areByShapes) devices = std::max(devices, devicesByShapes(*instruction));
      arePartitions |= isAmongPartitions(*instruction);
    }
  }
  return arePartitions ? DeviceGrid{.partitions = devices} : DeviceGrid{.replicas = devices};
}

}  // namespace hilo
