// Contents as they lie in a document: gzip where that is smaller. Private to the workspace.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

std::string packBytes(std::string_view bytes);
// Kinds: "gzip-corrupt", "gzip-truncated", "gzip-too-large".
Result<std::string> unpackBytes(std::string_view packed);

}  // namespace hilo
