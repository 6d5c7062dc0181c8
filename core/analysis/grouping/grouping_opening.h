// Which groups stand open: what a first look at a module shows, and what opening one group opens besides.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/analysis/grouping/grouping.h"

namespace hilo {

// By GroupNode::key.
using OpenGroups = absl::flat_hash_set<uint64_t>;

// Opens the root and, as long as one group holds more than half of the instructions around it (called
// computations counted) or next to nothing is in sight, that group: a module wrapped in one scope, call or
// loop shows what is inside. Fusions stay closed. Stops before more than about 80 nodes are in sight. Makes
// what it opens. Each of these ends early when `cancel` asks to stop; what is open then is of no use.
void openForFirstLook(Grouping& grouping, OpenGroups& open, const CancelToken& cancel = CancelToken());

// Opens a group, and on through groups that hold nothing but one other group, down to the first choice.
void openUntilChoice(Grouping& grouping, GroupId from, OpenGroups& open,
                     const CancelToken& cancel = CancelToken());

// Opens all groups, making what is called, until about `nodeLimit` nodes are made. False when
// it stopped there.
bool openEverything(Grouping& grouping, OpenGroups& open, const CancelToken& cancel = CancelToken(),
                    size_t nodeLimit = 400'000);

}  // namespace hilo
