// What an instruction costs, by counting: floating-point operations and bytes touched. Counts, not a
// model of time.
//
// Conventions of XLA's service/hlo_cost_analysis.cc, so that figures compare with what XLA prints: an
// elementwise operation costs one flop an output element (transcendental functions are counted apart); a dot
// or convolution two flops a multiply-add that touches real input; a reduction its computation once for each
// element folded in; bytes accessed are each operand once plus the output, but slicing, gathering, scattering
// and updating touch only what they move. A fusion's flops are its body's; its bytes are what its body reads
// of each parameter, plus its outputs. A conditional costs its dearest branch. Where this differs from XLA: a
// while loop costs body plus condition times its known trip count (XLA: once); the done half of an
// asynchronous pair costs nothing, the start half all of it; a call of a library whose meaning is known
// (core/hlo/expand) costs what the same costs in HLO; shapes without a layout count like others.
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
  // A while (here or below) whose trip count is not known was counted once.
  bool tripCountUnknown = false;
  // A custom call or unknown opcode (here or below) whose flops are not known counts none.
  bool flopsUnknown = false;

  friend bool operator==(const CostFacts&, const CostFacts&) = default;
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

}  // namespace hilo
