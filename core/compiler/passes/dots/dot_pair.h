// Two dots that read one array, as it is or transposed, as one dot: what else they read is brought into one
// form and concatenated.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

// What `value` is a transpose of; itself where it is none.
Instruction* beforeTransposes(Instruction* value);

// The shared array's side in each dot. Its dimensions are summed over, or are batches, in both alike.
struct DotPair {
  size_t sideInFirst = 0, sideInSecond = 0;
};
// nullopt: nothing is shared, or they cannot be one.
std::optional<DotPair> dotPairOf(const Instruction& first, const Instruction& second);

// The dot that does both, in front of `second`; slices of it take the places of the two.
Instruction* mergePair(Instruction& first, Instruction& second, DotPair pair);

}  // namespace hilo
