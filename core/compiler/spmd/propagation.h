// Spreads shardings through a module until nothing gets better (sharding_propagation.h).
#pragma once

#include "core/compiler/spmd/spread_rules.h"
#include "core/compiler/spmd/stated_shardings.h"

namespace hilo {

class Propagation {
 public:
  Propagation(ShardingState& state, const LinkedValues& linked, const StatedShardings& stated,
              const PropagationSettings& settings)
      : state_(state), linked_(linked), stated_(stated), settings_(settings) {}

  void run(const CancelToken& cancel);
  std::vector<ShardingDecision> takeDecisions() { return std::move(decisions_); }

 private:
  bool spreadOnce();
  bool takeFromOperands(const Instruction* instruction);
  bool takeFromUsers(const Instruction* instruction);
  bool takeFromGroup(const Instruction* instruction);
  bool takeManual(const Instruction* instruction, std::span<Instruction* const> neighbours,
                  ShardingDecision::Direction direction);
  bool refineOpen(const Instruction* instruction, const Tiling& offer, const Instruction* from,
                  ShardingDecision::Direction direction);
  bool accept(const Instruction* instruction, const Offer& offer, ShardingDecision::Direction direction,
              std::string_view rule = {});
  void assign(const Instruction* instruction, Tilings tilings, const Instruction* from,
              ShardingDecision::Direction direction, std::string_view rule);
  bool canHold(const Instruction* instruction, ShardingDecision::Direction direction) const;
  void lookAgainAround(const Instruction* instruction);
  void alignGroups();

  ShardingState& state_;
  const LinkedValues& linked_;
  const StatedShardings& stated_;
  PropagationSettings settings_;
  int level_ = 0, round_ = 0;
  std::vector<bool> forwardDone_, backwardDone_;
  std::vector<ShardingDecision> decisions_;
};

}  // namespace hilo
