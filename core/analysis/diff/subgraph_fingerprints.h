// What an instruction computes, as numbers and comparisons that leave out how it is written: names,
// metadata, shardings, layouts and the numbers of parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// One more than the largest computation id.
size_t computationIdLimit(const Module& module);

// The attributes that say what an instruction computes but which computations it calls.
bool isOwnMeaning(Attr key);
bool sameOwnMeaning(const Instruction& a, const Instruction& b);
bool sameOpcode(const Instruction& a, const Instruction& b);

// A number for each instruction that is equal for equal subgraphs: itself, its operands and what it calls,
// all the way down; rare attributes (windows, paddings, groups) are left out, so that equal numbers are
// evidence, not proof. A parameter of the entry counts as `entryParameters` says, by its number; others by
// their number and shape.
class SubgraphFingerprints {
 public:
  SubgraphFingerprints(const Module& module, const std::vector<size_t>& entryParameters);
  size_t of(const Instruction& instruction) const { return of_[instruction.id().value]; }
  // Equal for computations with equal roots and as many instructions.
  size_t of(const Computation& computation) const;

 private:
  size_t compute(const Instruction& instruction) const;
  std::vector<size_t> of_;
  std::vector<size_t> roots_;  // of computations, by id; 0 while not reached
};

}  // namespace hilo
