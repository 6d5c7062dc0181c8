// The program of one device of a module with shardings: arrays become their parts, and what parts need of
// others comes by collectives. Each collective has a remark of its opcode's name that says for which operand
// of which instruction it was made, from which sharding to which, and the source line; where an operation
// runs whole on every device, or an array comes whole to each though both sides are cut, remarks "replicated"
// and "full-rematerialization" say so.
//
// Entry parameters and root keep `sharding=`, now of the whole arrays that the parts come from. Instructions
// without a sharding are taken as replicated: run sharding-propagation before. A module of one partition, or
// without any sharding, stays as it is; so does one with collectives that a partitioner marked as its own.
//
// Matches XLA's service/spmd/spmd_partitioner.cc: which of several ways an operation goes is decided in XLA's
// order, between ways of one rank by the bytes that move; docs/partitioning.md says what is missing.
//
// Error kinds: "sharding-invalid", "spmd-unsupported", "spmd-conflict", "spmd-manual-mismatch".
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/spmd/partition_settings.h"

namespace hilo {

Result<bool> partitionModule(Module& module, PassContext& context, const PartitionSettings& settings = {});

// Drops all shardings, and makes plain copies of what only carried one: for a module that runs on one
// partition. As XLA's service/sharding_remover.cc.
Result<bool> removeShardings(Module& module, PassContext& context);

// Refuses, as "shardy-unsupported", a module whose shardings are Shardy's alone: those shardy-xla spreads.
Status checkNotShardyOnly(const Module& module);
bool hasShardings(const Module& module);
// Whether its header has meshes of Shardy: XLA would spread its shardings by other rules.
bool isMadeForShardy(const Module& module);

}  // namespace hilo
