// What of an opened file or dump goes into a document, as named bytes, and back. Private to the workspace.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/open/opened_dump.h"

namespace hilo {

// The text as it was read; of a protobuf one that says as much: a snapshot, an HloProto or a module.
Result<std::string> contentOfFile(const OpenedFile& file);

// Calls `take` for each file of the dump, one at a time. Files over the limits of a document are left out,
// with a warning each.
Result<Diagnostics> forEachFileOf(const OpenedDump& dump, const JobContext& context,
                                  const std::function<Status(const BundledFile&)>& take);

}  // namespace hilo
