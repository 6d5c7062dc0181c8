// Whole files as bytes, in and out.
#pragma once

#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

// "-" reads standard input to its end. Kinds: "file-not-found", "is-a-directory", "not-readable",
// "file-too-large" (over `limitBytes`), "cancelled".
Result<std::string> readBytes(const std::string& path, const CancelToken& cancel = {},
                              size_t limitBytes = size_t{4} << 30);

// A file is written whole or not at all; what is no file (a device, a pipe) gets the bytes as they
// come. Kind "not-writable".
Status writeBytes(const std::string& path, std::string_view bytes);

}  // namespace hilo
