// What can be compared with what is current, and comparing it; and the modules after the steps of a series.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/workspace/session/session.h"

namespace hilo {

// A module that is open, or a stage of a dump that may be, as one side of a comparison. Without a module
// where the snapshot is closed.
SeriesStep stepOf(const Session& session, SnapshotId id);
SeriesStep stepOf(const Session& session, DocumentId document, size_t moduleIndex, size_t stageIndex);
// All of them but the current module, by names that tell them apart.
std::vector<std::pair<std::string, SeriesStep>> comparable(const Session& session);
// Makes a series of `other` and the current module.
void compareWithCurrent(Session& session, SeriesStep other);
// Makes the module after a step of one of Hilo's own runs current.
void showStep(Session& session, SeriesId series, size_t step);

}  // namespace hilo
