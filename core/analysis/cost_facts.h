// What an instruction costs, by counting: floating-point operations and bytes touched. Counts, not a model of
// time.
//
// Conventions of XLA's service/hlo_cost_analysis.cc, so that figures agree with what XLA prints: an
// elementwise operation costs one flop an output element (transcendental functions are counted apart); a dot
// two flops a multiply-add; a reduction as many applications of its computation as elements are folded in;
// bytes accessed are operands plus output, each array once, but slicing and updating touch only what they
// move. A fusion's flops are its body's, its bytes are its operands' and output's. A while loop costs body
// plus condition times its known trip count. Where a count is a guess it says so (`tripCountUnknown`).
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct CostFacts {
  int64_t flops = 0;
  int64_t transcendentals = 0;
  int64_t bytesAccessed = 0;
  int64_t outputBytes = 0;
  // A while (here or below) whose trip count is not known was counted once; or a called computation recursed.
  bool tripCountUnknown = false;
};

// Facts of every instruction of a module, by instruction id. All sums saturate. One pass over the module; any
// thread may read.
class ModuleCost {
 public:
  explicit ModuleCost(const Module& module);
  const CostFacts& of(const Instruction& instruction) const { return facts_[instruction.id().value]; }
  // Sum over a computation's instructions; the entry's is the module's.
  const CostFacts& of(const Computation& computation) const { return computations_[computation.id().value]; }
  const CostFacts& total() const { return total_; }

 private:
  friend class CostCounter;
  std::vector<CostFacts> facts_;
  std::vector<CostFacts> computations_;
  CostFacts total_;
};

// known_trip_count of a while's backend_config; -1 when there is none.
int64_t knownTripCount(const Instruction& whileLoop);

}  // namespace hilo
