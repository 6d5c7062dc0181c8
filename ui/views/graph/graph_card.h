// What the graph view says in words: the cards of nodes and edges, and the counts below the picture.
#pragma once

#include <optional>

#include <QString>

#include "core/analysis/cost_facts.h"
#include "ui/canvas/scene.h"
#include "ui/views/graph/graph_picture.h"

namespace hilo {

// Of node number `node` of the picture, `shown` in the scene. `cost` may be null: not known yet.
QString nodeHtml(const GraphPicture& picture, const SceneNode& shown, uint32_t node, const ModuleCost* cost);
QString edgeHtml(const Scene& scene, const SceneEdge& edge);
// What is shown of the `instructions` of the module, and why it is not more.
QString countsText(const GraphPicture& picture, const std::optional<GraphFocus>& focus, size_t instructions);

}  // namespace hilo
