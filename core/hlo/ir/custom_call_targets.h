// Custom calls whose meaning XLA itself fixes.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hilo {

// Annotations: they give their one operand back as it is.
inline bool isIdentityTarget(std::string_view target) {
  constexpr std::string_view kTargets[] = {
      "Sharding",
      "SPMDFullToShardShape",
      "SPMDShardToFullShape",
      "LayoutConstraint",
      "MoveToHost",
      "MoveToDevice",
      "PinToDevice",
      "annotate_device_placement",
      "xla.sdy.FuncResultSharding",
      "xla.sdy.ShardingGroup",
      "optimization_barrier",
  };
  return std::ranges::find(kTargets, target) != std::end(kTargets);
}

}  // namespace hilo
