// Values that are one and the same over a loop, a branch or a call, and so have one sharding; and the groups
// of shard_as and shard_like.
#pragma once

#include "core/compiler/spmd/sharding_state.h"

namespace hilo {

class LinkedValues {
 public:
  explicit LinkedValues(const Module& module);

  // The instructions that take the sharding of this one when it changes, itself not among them.
  std::vector<const Instruction*> linkedTo(const Instruction* instruction) const;
  // Those of each loop, branch or call, the caller first.
  const std::vector<std::vector<const Instruction*>>& sets() const { return sets_; }
  // Who calls a computation as loop, branch or call; null: nobody.
  const Instruction* callerOf(const Computation* computation) const;
  // The operand behind a parameter of a called or branch computation; null where it is no such.
  const Instruction* operandOf(const Instruction* parameter) const;

 private:
  void add(const Instruction* caller);

  std::vector<std::vector<const Instruction*>> sets_;
  absl::flat_hash_map<const Instruction*, std::vector<size_t>> setsOf_;
  absl::flat_hash_map<const Computation*, const Instruction*> callers_;
};

}  // namespace hilo
