// Fuel for passes that make an order: the new order of a computation is one rewrite.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "core/compiler/pass/pass.h"

namespace hilo {

class OrderFuel {
 public:
  // Remembers the orders as they are.
  explicit OrderFuel(const Module& module);
  // Asks for each computation that stands in another order now, called before caller; one that is refused
  // gets the order back that it had. Where instructions came or went the order cannot be taken back, and
  // nobody is asked. False where all are refused: the module is scheduled as little as it was.
  bool settle(Module& module, PassContext& context) const;

 private:
  const bool wasScheduled_;
  absl::flat_hash_map<ComputationId, std::vector<Instruction*>> orders_;
};

}  // namespace hilo
