// Spreads Shardy's shardings over a module and writes them as HLO's: the pass XLA calls shardy-xla. Reads
// meshes, shardings, rules, groups, barriers and manual regions from the frontend attributes and custom calls
// named xla.sdy.*, which are gone afterwards. Constraints become copies; a manual region becomes a call
// between SPMDFullToShardShape and SPMDShardToFullShape. As in XLA, `sharding=` of the input is not read.
//
// A module without xla.sdy.* attributes, or of one partition, stays as it is. Matches XLA's
// service/spmd/shardy/shardy_xla_pass.cc with Shardy's propagation pipeline; tuples stay tuples, and no
// explicit reshards are put in: the partitioner chooses them.
//
// Every decision is a remark "sharded", as of sharding-propagation: the level is the step of operations (0 to
// 4), rounds count the steps of all priorities. Error kinds:
// "sharding-invalid", "shard-group-mismatch", "shardy-unsupported".
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/spmd/shardy/spread.h"

namespace hilo {

struct ShardySettings {
  bool isBasic = false;  // the basic strategy alone: a factor takes what goes with all its arrays
};

Result<bool> runShardy(Module& module, PassContext& context, const ShardySettings& settings = {});

// The decisions alone, in the order they were made.
Result<std::vector<ShardingDecision>> spreadShardy(Module& module, const ShardySettings& settings = {},
                                                   const CancelToken& cancel = {});

}  // namespace hilo
