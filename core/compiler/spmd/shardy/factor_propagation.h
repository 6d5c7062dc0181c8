// Settles how the factors of one operation are cut, from how its arrays are: each array of the operation
// takes what others have along the same factor, as far as it is open and nothing contradicts.
//
// Basic: a factor takes what goes with every array. Aggressive: each array takes what goes with itself; where
// two factors want one axis, the one whose source is larger wins. As basic_factor_propagation.cc and
// aggressive_factor_propagation.cc of Shardy.
#pragma once

#include <functional>

#include "core/compiler/spmd/shardy/projection.h"

namespace hilo::sdy {

enum class Direction : uint8_t { None, Forward, Backward, Both };
Direction either(Direction a, Direction b);
Direction both(Direction a, Direction b);

enum class Strategy : uint8_t { Basic, Aggressive, BasicThenAggressive };

using DirectionOfFactor = std::function<Direction(size_t factor)>;

// An array whose factor took axes: by its place among operands, then results.
struct FactorUpdate {
  size_t array = 0;
  size_t factor = 0;
  size_t source = 0;  // an array that had the axes
};

// `isElementwise` counts in the aggressive order.
std::vector<FactorUpdate> propagateBasic(Projection& projection, const ShardingRule& rule,
                                         const DirectionOfFactor& direction);
std::vector<FactorUpdate> propagateAggressive(Projection& projection, const ShardingRule& rule,
                                              const DirectionOfFactor& direction, bool isElementwise);

}  // namespace hilo::sdy
