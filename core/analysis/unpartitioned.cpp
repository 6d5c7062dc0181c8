#include "core/analysis/unpartitioned.h"

#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool isShardy(const FrontendAttribute& attribute) { return attribute.name.starts_with("xla.sdy."); }

// A manual region begins: its collectives are the program's own, as shard_map's body has them.
bool entersManualRegion(const Instruction& i) {
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == "SPMDFullToShardShape" || target == "xla.sdy.GlobalToLocalShape";
}

}  // namespace

bool isUnpartitioned(const Module& module) {
  if (module.partitionCount() <= 1) return false;
  bool hasShardings = std::ranges::any_of(module.get<Attr::FrontendAttributes>(), isShardy);
  bool hasCollectives = false;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (entersManualRegion(*i)) return true;
      hasCollectives |= startsCollective(i->opcode()) || i->opcode() == Opcode::PartitionId;
      hasShardings |= i->has(Attr::Sharding);
    }
  }
  return hasShardings && !hasCollectives;
}

std::string unpartitionedText(const Module& module) {
  return fmt::format(
      "not partitioned yet: the figures are of all {} partitions together; hilo partition, or the "
      "pipeline spmd, makes one device's program",
      module.partitionCount());
}

}  // namespace hilo
