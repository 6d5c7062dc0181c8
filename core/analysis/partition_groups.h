// Which partitions a collective brings together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The groups of partitions that a collective runs in: its replica groups, or the pairs of a permute joined to
// rings. One group of all where it has none. Of the first replica.
std::vector<std::vector<int64_t>> partitionGroups(const Instruction& collective);

}  // namespace hilo
