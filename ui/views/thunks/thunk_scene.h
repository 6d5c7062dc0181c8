// The thunks of a study as a scene: hazards are edges, bodies lie within the thunks that run them, and the
// colour says how long each takes. Any thread.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/base/cancel.h"
#include "core/workspace/thunks/thunk_study.h"
#include "ui/canvas/scene.h"

namespace hilo {

using ClosedThunks = absl::flat_hash_set<uint32_t>;

// Thunks whose bodies are not shown at first: none, or all but the outermost's where there are too many
// to take in.
ClosedThunks closedAtFirst(const ThunkStudy& study);

// A node has its thunk's number as id; what is in a closed one is left out. Where a thunk runs several parts,
// as a loop its condition and its body, those of each stand in a frame. Thunks that race are marked as
// faults, with the edge that is missing between them. Fails with "cancelled", "graph-too-large".
Result<Scene> makeThunkScene(const ThunkStudy& study, const ClosedThunks& closed, const CancelToken& cancel);

// The thunk of a node; of a frame the one that runs the part.
uint32_t thunkAt(SceneNodeId id);

// "reads what the other writes" and the like, of an edge between two thunks.
QString hazardText(const ThunkHazard& hazard);

}  // namespace hilo
