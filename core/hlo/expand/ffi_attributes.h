// What a custom call's backend_config says, as one JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

// The dictionary of typed calls, in MLIR's form:
//   {axis = 1 : i64, eps = 1.0e-05 : f32, mode = "fast", flag, sizes = array<i64: 2, 3>, list = [1, 2]}
// as XLA takes it (service/cpu, xla/ffi/attribute_map.cc). Empty for an empty text. Kind
// "malformed-attributes" for what is no such dictionary.
Result<nlohmann::json> parseFfiAttributes(std::string_view text);

// The same, or JSON, whichever it is; in quotes, with its own quotes escaped, too.
Result<nlohmann::json> parseCallConfig(std::string_view text);

}  // namespace hilo
