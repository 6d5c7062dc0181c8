#include "core/analysis/sharding_devices.h"

#include <algorithm>

#include "core/hlo/ir/op_facts.h"
#include "core/hlo/ir/sharding.h"

namespace hilo {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;

int64_t devicesOf(const Sharding& sharding) {
  int64_t most = 1;
  for (const Sharding& element : sharding.elements) most = std::max(most, devicesOf(element));
  if (sharding.type != Sharding::Type::Tiled) return most;
  int64_t devices = 1;
  for (const int64_t size : sharding.tileDimensions) {
    if (size < 1 || size > kMostDevices || devices > kMostDevices / size) return most;
    devices *= size;
  }
  return std::max(most, devices);
}

}  // namespace

int64_t shardingDevices(const Module& module) {
  int64_t most = 1;
  if (module.isScheduled()) return most;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (startsCollective(i->opcode()) || i->opcode() == Opcode::PartitionId) return 1;
      if (const Sharding* sharding = i->get<Attr::Sharding>()) most = std::max(most, devicesOf(*sharding));
    }
  }
  return most;
}

}  // namespace hilo
