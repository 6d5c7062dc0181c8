// Spreads the shardings that a module states over all its instructions: forward from operands, backward from
// users, by operation and level of aggressiveness, between the parts of loops, branches and calls, and among
// the members of shard groups, until nothing gets better. Calls to Sharding become copies. What the module
// states itself stays; entry parameters and the root take what spreads to them where the header allows it
// (allow_spmd_sharding_propagation_to_parameters, ..._to_output). Matches XLA's service/
// sharding_propagation.cc with is_spmd.
//
// Every decision is a record and a remark "sharded". Error kinds: "sharding-invalid", "shard-group-mismatch",
// "spmd-unsupported", "shardy-unsupported".
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/spmd/sharding_state.h"

namespace hilo {

struct PropagationSettings {
  bool toParameters = false;  // as XLA for GPU, which does not hand the header's list to the pass
  bool toOutput = true;
};

// In the order they were made; also those that better ones replaced.
Result<std::vector<ShardingDecision>> spreadShardings(Module& module,
                                                      const PropagationSettings& settings = {},
                                                      const CancelToken& cancel = {});

Result<bool> propagateShardings(Module& module, PassContext& context,
                                const PropagationSettings& settings = {});

// Shardings of a module spread once: by sharding-propagation, or by another pass that says so in the header
// (frontend attribute "shardings_spread_by"), after which sharding-propagation leaves the module as it is.
void markAsSpread(Module& module, std::string_view pass);

}  // namespace hilo
