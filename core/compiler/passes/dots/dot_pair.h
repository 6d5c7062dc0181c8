// Two dots that read one array, as it is or transposed, as one dot: what else they read is brought into one
// form and concatenated.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// What `value` is a transpose of; itself where it is none.
Instruction* beforeTransposes(Instruction* value);

// An array with what a dot that reads it takes its dimensions for: dots that share none of these are no pair.
struct DotReading {
  const Instruction* array;                 // before transposes
  std::vector<int64_t> batch, contracting;  // of its dimensions, sorted
  bool operator==(const DotReading&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const DotReading& reading) {
    return H::combine(std::move(hash), reading.array, reading.batch, reading.contracting);
  }
};
DotReading dotReading(const Instruction& dot, size_t side);

// The shared array's side in each dot. Its dimensions are summed over, or are batches, in both alike.
struct DotPair {
  size_t sideInFirst = 0, sideInSecond = 0;
};
// nullopt: nothing is shared, or they cannot be one.
std::optional<DotPair> dotPairOf(const Instruction& first, const Instruction& second);

// The dot that does both, in front of `second`; slices of it take the places of the two.
Instruction* mergePair(Instruction& first, Instruction& second, DotPair pair);

}  // namespace hilo
