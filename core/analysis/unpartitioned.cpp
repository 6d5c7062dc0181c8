#include "core/analysis/unpartitioned.h"

#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool isShardy(const FrontendAttribute& attribute) { return attribute.name.starts_with("xla.sdy."); }

}  // namespace

bool isUnpartitioned(const Module& module) {
  if (module.partitionCount() <= 1) return false;
  bool hasShardings = std::ranges::any_of(module.get<Attr::FrontendAttributes>(), isShardy);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (startsCollective(i->opcode()) || i->opcode() == Opcode::PartitionId) return false;
      hasShardings |= i->has(Attr::Sharding);
    }
  }
  return hasShardings;
}

std::string unpartitionedText(const Module& module) {
  return fmt::format(
      "not partitioned yet: the figures are of all {} partitions together; the pipeline spmd makes one "
      "device's program",
      module.partitionCount());
}

}  // namespace hilo
