// The thunks of a study as a scene: hazards are edges, bodies lie within the thunks that run them, and the
// colour says how long each takes. Any thread.
#pragma once

#include "core/base/cancel.h"
#include "core/workspace/thunk_study.h"
#include "ui/canvas/scene.h"

namespace hilo {

// Thunk i is node i and has id i. Fails with "cancelled", "graph-too-large".
Result<Scene> makeThunkScene(const ThunkStudy& study, const CancelToken& cancel);

// "reads what the other writes" and the like, of an edge of that scene.
QString hazardText(const ThunkHazard& hazard);
// What a thunk's time is in the scene and in the table: measured, else the compiler's guess; -1 for neither.
int64_t timeOf(const StudiedThunk& thunk);

}  // namespace hilo
