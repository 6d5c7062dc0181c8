// The attributes of a custom call, as a plug-in is given them: from the dictionary its backend_config holds
// (core/hlo/expand/ffi_attributes.h).
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/program/thunks.h"

namespace hilo {

// By name. Empty for an empty text. Kind "malformed-attributes" for what is no such dictionary.
Result<std::vector<CustomCallAttribute>> parseBackendAttributes(std::string_view text);

}  // namespace hilo
