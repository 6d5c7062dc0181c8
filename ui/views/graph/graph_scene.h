// From a grouping and what of it is open to a layout request, and from its answer to a scene. Plain values
// and functions; the view in between only waits.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/analysis/grouping.h"
#include "ui/canvas/layout/nested_layout.h"
#include "ui/canvas/scene.h"

namespace hilo {

// By GroupNode::key.
using OpenGroups = absl::flat_hash_set<uint64_t>;

struct GraphRequest {
  NestedInput input;
  std::vector<GroupId> nodes;  // what each of the input's nodes shows
};

// What is shown: the root, and the children of what is open. Edges end at the innermost shown node; into an
// open fusion or call they end at its parameters and leave from its root.
GraphRequest makeGraphRequest(const Grouping& grouping, const OpenGroups& open);

// Only instructions up to `hops` edges from the centre within its computation, nearest first, at most
// `limit`.
GraphRequest makeFocusRequest(Grouping& grouping, const Instruction& centre, uint32_t hops,
                              size_t limit = 400);

struct SceneLook {
  absl::flat_hash_map<InstructionId, SceneMark> marks;
  absl::flat_hash_map<InstructionId, float> heat;  // 0 to 1
};

// Scene ids are the keys of the groups.
Scene makeGraphScene(const Grouping& grouping, const GraphRequest& request, const NestedResult& layout,
                     const SceneLook& look);

// Opens groups that hold nothing but one other group, down to the first choice.
void openSingleGroups(Grouping& grouping, GroupId from, OpenGroups& open);

}  // namespace hilo
