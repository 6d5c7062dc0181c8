// What a module states of shardings, read before they spread.
#pragma once

#include "core/compiler/spmd/linked_values.h"
#include "core/compiler/spmd/sharding_propagation.h"

namespace hilo {

struct ShardGroupMembers {
  bool isAs = false;  // shard_as: all end up the same
  std::vector<const Instruction*> members;
};

struct StatedShardings {
  // Of calls to Sharding that leave dimensions open: these may still be tiled.
  absl::flat_hash_map<const Instruction*, std::vector<int64_t>> openDimensions;
  std::map<int64_t, ShardGroupMembers> groups;
  absl::flat_hash_map<const Instruction*, int64_t> groupOf;
  // What outfeeds state of the data that they take.
  absl::flat_hash_map<const Instruction*, Tilings> outfeeds;
  // Of the entry's parameters and root, for those that may not change.
  absl::flat_hash_map<const Instruction*, Tilings> boundary;
};

// Makes copies of calls to Sharding, reads all shardings into the state and fixes what may not change.
Result<StatedShardings> readShardings(ShardingState& state, const LinkedValues& linked,
                                      const PropagationSettings& settings);

// "unspecified_dims=[0,2]" of a call's backend_config.
std::vector<int64_t> openDimensionsOf(const Instruction& call);

// Whether the header lets shardings spread to the entry's parameter (or root) leaf.
bool allowsParameter(const Module& module, const PropagationSettings& settings, size_t index);
bool allowsOutput(const Module& module, const PropagationSettings& settings, size_t leaf);

}  // namespace hilo
