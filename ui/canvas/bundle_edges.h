// A layout's lines as a scene's edges.
#pragma once

#include "ui/canvas/layout/nested_layout.h"
#include "ui/canvas/scene.h"

namespace hilo {

// Adds an edge a bundle, in their order; nodes of the scene are those of the layout.
// Kinds are SceneEdgeKind's.
void addBundleEdges(const NestedResult& layout, Scene& scene);

}  // namespace hilo
