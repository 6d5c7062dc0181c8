// Walking a scene from node to node by keys.
#pragma once

#include "ui/canvas/scene_index.h"

class QKeyEvent;

namespace hilo {

// The arrow a key stands for, as Qt::Key: h, j, k and l move as in vi. 0: none.
int arrowOf(const QKeyEvent& event);

// Up and down along the edges, to the end that lies straightest; left and right along the row.
// kNoIndex where there is none.
uint32_t neighbour(const IndexedScene& scene, uint32_t node, int arrow);

}  // namespace hilo
