// Annotations that might make a partitioning cheaper: to be tried, for only partitioning again tells.
#pragma once

#include "core/workspace/partition/partition.h"

namespace hilo {

struct ShardingAdvice {
  std::string text;  // "%dot cut in dimension 0 along fsdp: the devices share the work"
  ShardingConstraint constraint;
  // The same in a JAX program, with where it belongs: "linears.py:102: x =
  // jax.lax.with_sharding_constraint(x, P(None, 'fsdp'))". "" where the module names no mesh.
  std::string code;
};

// Against a collective's move, or its partial results; none where it has no cause, or the arrays at its ends
// do not have shardings along axes of the mesh.
std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning,
                                      const PartitionCollective& collective);
// Against work that devices do alike.
std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning, const Replication& replication);

// Against copies of an array that devices hold alike.
std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning, const ShardedArray& array);

// XLA's text of a sharding whose dimensions run along these axes of the mesh; "" where an axis is not one, or
// a part of one.
std::string shardingAlong(const DeviceMesh& mesh, const std::vector<AxisNames>& dimensions);

}  // namespace hilo
