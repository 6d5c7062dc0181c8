// From a grouping and what of it is open to a layout request, and from its answer to a scene. Plain values
// and functions of any thread.
#pragma once

#include <memory>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/analysis/grouping/grouping_opening.h"
#include "core/analysis/overlay/overlay.h"
#include "ui/canvas/layout/nested_layout.h"
#include "ui/canvas/scene.h"
#include "ui/views/graph/node_look.h"

namespace hilo {

// Outputs that are written over parameters: drawn over the layout, without a part in it.
struct AliasLink {
  uint32_t from = 0;  // nodes
  uint32_t to = 0;
  uint32_t count = 0;
  int64_t bytes = 0;
};

struct GraphRequest {
  NestedInput input;
  std::vector<AliasLink> aliases;
  std::vector<GroupId> nodes;       // what each of the input's nodes shows
  std::vector<NodeText> texts;      // per node
  std::vector<uint8_t> emphasised;  // per node: the hero of an open fusion
  std::vector<int16_t> tints;       // per node: the number of a parameter of an open fusion, or -1
  // Instructions that are a tag on a node instead of a node.
  std::vector<std::pair<const Instruction*, uint32_t>> folded;
};

struct GraphRequestOptions {
  bool fold = true;  // get-tuple-elements, small constants and spread numbers into their users
};

// What is shown: the root, and the children of what is open. Edges end at the innermost shown node; into an
// open fusion or call they end at its parameters and leave from its root.
GraphRequest makeGraphRequest(const Grouping& grouping, const OpenGroups& open,
                              const GraphRequestOptions& options = {});

// Only the given instructions of one computation, each by itself; folding leaves out constants and spread
// numbers but for the first. Empty when no way leads to them.
GraphRequest makeFlatRequest(Grouping& grouping, std::span<const Instruction* const> instructions,
                             const GraphRequestOptions& options = {});

struct SceneLook {
  absl::flat_hash_map<InstructionId, SceneMark> marks;
  absl::flat_hash_set<InstructionId> way;  // edges between these are lit
};

// What the colours of an overlay mean.
struct OverlayLegend {
  QString title;
  QString low, high;             // of amounts: the ends of the ramp; "" where there is none
  QStringList categories;        // of names, by category
  std::vector<uint32_t> counts;  // of these: instructions in the module
  QString edges;                 // what a mark on an edge means, and how many; "" where there is none
};

// Scene ids are the keys of the groups. Takes the texts out of the request.
Scene makeGraphScene(const Grouping& grouping, GraphRequest& request, const NestedResult& layout,
                     const SceneLook& look);

// Colours the nodes by an overlay: a group by the sum of its amounts, or by the name all in it share, with a
// bar of the shares where they differ. What a closed group runs counts as in it.
OverlayLegend applyOverlay(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay,
                           Scene& scene);

}  // namespace hilo
