// A study as text: for other programs, and to compare with what XLA logs.
#pragma once

#include <string>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// A graph in DOT's language: a cluster for what a thunk runs, a colour for each kind, an edge for each
// hazard, dashed where the later one only has to begin later.
std::string toDot(const ThunkStudy& study);

// As XLA:CPU logs an executor when it makes one (ThunkExecutor::ToString): a line with the counts, then one
// for each thunk with what it waits for and how many thunks wait for it, directly or through others. What a
// thunk runs follows, under a line that names it.
std::string toExecutorText(const ThunkStudy& study);

}  // namespace hilo
