// OpSharding, meshes and replica groups to the IR's payloads and back (HloSharding::FromProto/ToProto of
// XLA). What is read views into `arena`.
#pragma once

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/hlo/ir/replica_groups.h"
#include "core/hlo/ir/sharding.h"
#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo {

// Error kind: "bad-sharding" (an unknown type, a maximal sharding without its device).
Result<Sharding> readSharding(const pb::OpSharding& proto, Arena& arena);
void writeSharding(const Sharding& sharding, pb::OpSharding& proto);

// The form the instruction has, of the five XLA's versions have written; an empty list when it has none.
ReplicaGroups readReplicaGroups(const pb::HloInstructionProto& proto, Arena& arena);
void writeReplicaGroups(const ReplicaGroups& groups, pb::HloInstructionProto& proto);

}  // namespace hilo
