// Files to look at as text.
#pragma once

#include <string>

#include "core/base/files.h"

namespace hilo {

struct OpenedDump;

// Inflated when it is gzip. Kinds: those of readBytes, "not-text" for what has a zero byte near its start.
Result<std::string> readText(const std::string& path, const CancelToken& cancel = {});

// The same of one of a dump's files, wherever they lie.
Result<std::string> readDumpText(const OpenedDump& dump, const std::string& path,
                                 const CancelToken& cancel = {});

}  // namespace hilo
