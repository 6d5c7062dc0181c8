// What a custom call's backend_config says, as one JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

// The dictionary of typed calls (core/hlo/ir/call_attributes.h), its types left out. Kind
// "malformed-attributes" for what is no such dictionary.
Result<nlohmann::json> parseFfiAttributes(std::string_view text);

// The same, or JSON, whichever it is; in quotes, with its own quotes escaped, too.
Result<nlohmann::json> parseCallConfig(std::string_view text);

}  // namespace hilo
