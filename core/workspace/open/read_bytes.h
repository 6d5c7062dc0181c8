// Whole files as bytes.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

struct OpenedDump;

// "-" reads standard input to its end. Kinds: "file-not-found", "is-a-directory", "not-readable",
// "file-too-large" (over `limitBytes`), "cancelled".
Result<std::string> readBytes(const std::string& path, const CancelToken& cancel = {},
                              size_t limitBytes = size_t{4} << 30);

// A file to look at as text, inflated when it is gzip. Kinds: those above, "not-text" for what has a zero
// byte near its start.
Result<std::string> readText(const std::string& path, const CancelToken& cancel = {});

// The same of one of a dump's files, wherever they lie.
Result<std::string> readDumpText(const OpenedDump& dump, const std::string& path,
                                 const CancelToken& cancel = {});

}  // namespace hilo
