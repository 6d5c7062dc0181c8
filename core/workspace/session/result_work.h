// How the results of results.def are made. Private to the room.
#pragma once

#include "core/workspace/session/result_table.h"

namespace hilo {

class Session;
struct Snapshot;

// Everything the work needs is taken on the session's thread; it runs in a job. Empty where there is nothing
// to make it of.
#define RESULT(kind, type, tag, title, failure) \
  ResultWork<ResultKind::kind> make##kind##Work(const Session& session, const Snapshot& snapshot);
#define GIVEN(kind, type)
#include "core/workspace/session/results.def"
#undef GIVEN
#undef RESULT

}  // namespace hilo
