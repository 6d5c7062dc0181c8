// Spreads shardings over a value graph until nothing changes.
//
// Rounds, from outside in: the user's priorities; five steps of operations (elementwise and other operations
// that keep elements in place, where operands have no other use; the same with any use; factors that pass
// through any operation; any factor; broadcasts forward); a list of operations whose arrays have changed. A
// dimension of a later priority takes no part before, and its axes are kept for it. As Shardy's
// user_priority_propagation.cc, op_priority_propagation.cc and basic_propagation.cc.
#pragma once

#include "core/base/cancel.h"
#include "core/compiler/spmd/sharding_state.h"
#include "core/compiler/spmd/shardy/value_graph.h"

namespace hilo::sdy {

struct SpreadSettings {
  Strategy strategy = Strategy::Aggressive;
  bool bySteps = true;  // false: every operation hands on everything from the start
};

// Decisions in the order they were made. Of one: `sharding` in Shardy's text, `rule` the operation and
// factor, `level` the step of operations (0 to 4), `round` counts steps. Error kind:
// "shard-group-mismatch", for a group whose members say different things.
Result<std::vector<ShardingDecision>> spread(ValueGraph& graph, const MeshTable& meshes,
                                             const SpreadSettings& settings, const CancelToken& cancel);

}  // namespace hilo::sdy
