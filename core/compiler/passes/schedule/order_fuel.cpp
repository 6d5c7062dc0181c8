#include "core/compiler/passes/schedule/order_fuel.h"

#include <algorithm>

namespace hilo {
namespace {

std::vector<Instruction*> orderOf(const Computation& computation) {
  const auto instructions = computation.instructions();
  return {instructions.begin(), instructions.end()};
}

bool holdsTheSame(std::vector<Instruction*> a, std::vector<Instruction*> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

}  // namespace

OrderFuel::OrderFuel(const Module& module) : wasScheduled_(module.isScheduled()) {
  for (const Computation* computation : module.computations())
    orders_.emplace(computation->id(), orderOf(*computation));
}

bool OrderFuel::settle(Module& module, PassContext& context) const {
  const int64_t taken = context.fuel().taken();
  for (Computation* computation : module.computations()) {
    const auto before = orders_.find(computation->id());
    if (before == orders_.end() || computation->root() == nullptr) continue;
    const std::vector<Instruction*> now = orderOf(*computation);
    if (now == before->second || !holdsTheSame(now, before->second)) continue;
    if (!context.mayChange(*computation->root())) computation->reorder(before->second);
  }
  if (!context.fuel().isSpent() || context.fuel().taken() != taken) return true;
  if (!wasScheduled_) module.attributes().erase(Attr::IsScheduled);
  return false;
}

}  // namespace hilo
