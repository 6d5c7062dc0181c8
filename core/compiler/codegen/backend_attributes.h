// The attributes of a custom call, from the dictionary its backend_config holds in MLIR's form:
//   {axis = 1 : i64, eps = 1.0e-05 : f32, mode = "fast", flag = true, sizes = array<i64: 2, 3>, list = [1,
//   2]}
// as XLA takes them for its typed interface (service/cpu, xla/ffi/attribute_map.cc).
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/program/thunks.h"

namespace hilo {

// By name. Empty for an empty text. Kind "malformed-attributes" for what is no such dictionary.
Result<std::vector<CustomCallAttribute>> parseBackendAttributes(std::string_view text);

}  // namespace hilo
