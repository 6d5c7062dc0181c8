// Dumps, once it is known what kind of dump. Private to the workspace; openPath() and openDump() are its
// doors.
#pragma once

#include "core/workspace/opened.h"

namespace hilo {

Result<std::shared_ptr<const OpenedDump>> openDumpDirectory(const std::string& path,
                                                            const CancelToken& cancel);
// `text` is what XLA wrote to standard output; `path` is what diagnostics call it.
Result<std::shared_ptr<const OpenedDump>> openFramedDump(std::string text, const std::string& path);

}  // namespace hilo
