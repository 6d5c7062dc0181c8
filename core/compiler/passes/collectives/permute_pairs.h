// Who sends to whom in a collective-permute, as a graph of devices. As XLA's
// service/collective_permute_cycle.cc.
#pragma once

#include <utility>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

using SourceTargetPairs = std::vector<std::pair<int64_t, int64_t>>;  // (source, target)

SourceTargetPairs writtenPairs(const Instruction& permute);
// "{{0,1},{1,2}}"
std::string pairsText(const SourceTargetPairs& pairs);

// Whether a value sent on from device to device comes back to where it was.
bool hasCycle(const SourceTargetPairs& pairs);
// Whether `others` are 0 -> 1 -> ... -> n and `back` leads from n to 0, or all of that the other way round.
bool closesRing(const SourceTargetPairs& back, const SourceTargetPairs& others);

}  // namespace hilo
