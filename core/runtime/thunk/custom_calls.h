// Which function of a plug-in each custom call of a program runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/base/result.h"
#include "core/runtime/program/program.h"
#include "plugins/sdk/custom_call.h"

namespace hilo {

// What a plug-in does for a target; null when none has a handler. Any thread.
using FindCustomCall = std::function<const HiloCustomCall*(std::string_view target)>;

// By target: all that the program has. The handlers belong to their plug-ins.
using CustomCalls = absl::flat_hash_map<std::string, const HiloCustomCall*>;

// Kind "unknown-custom-call": a target nobody has a handler for, by name.
Result<CustomCalls> findCustomCalls(const Program& program, const FindCustomCall& findCustomCall);

}  // namespace hilo
