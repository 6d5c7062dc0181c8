// Bows beside the layout: what belongs together however the lines between run.
#pragma once

#include "ui/canvas/scene.h"

namespace hilo {

// Leads the edge from each start to its done in a bow past the boxes between them, on the side where it
// passes fewer; where the two do not stand in one group it stays as it was laid out.
void bendAsyncEdges(Scene& scene);

// From an output to the parameter whose memory it takes.
void addAliasArc(Scene& scene, uint32_t from, uint32_t to, uint32_t count, int64_t bytes);

}  // namespace hilo
