// Shapes by their text: the same few hundred spellings make up nearly all shapes of a module, so most are one
// look-up instead of a parse and a trip to the shared shape table. Keys view the source text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/base/text_hash.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

using ShapeCache = absl::flat_hash_map<std::string_view, Shape, TextHash, TextEqual>;

}  // namespace hilo
