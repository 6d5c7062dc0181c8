// Where instructions are in a picture of the graph.
#pragma once

#include "ui/views/graph/graph_scene.h"

namespace hilo {

// What is shown of an instruction: its own node, or the innermost around it.
class ShownPlaces {
 public:
  ShownPlaces(const Grouping& grouping, const GraphRequest& request)
      : grouping_(grouping), foldedInto_(request.folded.begin(), request.folded.end()) {
    for (uint32_t i = 0; i < request.nodes.size(); ++i) shownAs_.emplace(request.nodes[i], i);
  }
  struct Place {
    uint32_t node = kNoIndex;
    bool isOwn = false;
  };
  Place of(InstructionId id) const {
    const Instruction* instruction = grouping_.module().instruction(id);
    if (instruction == nullptr) return {};
    if (const auto folded = foldedInto_.find(instruction); folded != foldedInto_.end())
      return {folded->second, false};
    GroupId at = grouping_.findMade(*instruction);
    const bool isOwn =
        at != kNoGroup && grouping_.node(at).instruction == instruction && shownAs_.contains(at);
    while (at != kNoGroup && !shownAs_.contains(at)) at = grouping_.node(at).parent;
    return at == kNoGroup ? Place() : Place{shownAs_.at(at), isOwn};
  }

 private:
  const Grouping& grouping_;
  absl::flat_hash_map<GroupId, uint32_t> shownAs_;
  absl::flat_hash_map<const Instruction*, uint32_t> foldedInto_;
};

}  // namespace hilo
