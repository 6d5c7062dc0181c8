// Selections of what a session has open.
#pragma once

#include <QString>

#include "core/workspace/session/session.h"
#include "ui/models/selection.h"

namespace hilo {

// The snapshot a selection speaks of: its own, else the current one. Null where there is none.
const Snapshot* snapshotFor(const Session& session, const Selection& selection);
Selection selectionOf(const Snapshot& snapshot, const Instruction& instruction);
Selection selectionOf(const Snapshot& snapshot, const Computation& computation);
// An instruction by name, else a computation; of the current snapshot. Empty when there is none.
Selection findByName(const Session& session, const QString& name);

}  // namespace hilo
