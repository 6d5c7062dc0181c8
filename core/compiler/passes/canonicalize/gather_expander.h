// Writes a gather of the whole array as a broadcast, one with one index vector as a dynamic-slice, which
// clamps its start as a gather does, and on request all others as loops. As xla/service/gather_expander.cc.
#pragma once

#include <cstdint>

#include "core/compiler/pass/pass.h"

namespace hilo {

enum class GatherMode : uint8_t { Simple, All };
struct GatherSettings {
  GatherMode mode = GatherMode::Simple;
};
Result<bool> expandSimpleGathers(Module& module, PassContext& context, const GatherSettings& settings = {});

}  // namespace hilo
