// Lists of a step of a pass series as JSON, for a document. Private to the workspace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/workspace/passes/pass_series.h"

namespace hilo {

// Reading: what is not of that form is left out.
std::string remarksToJson(const std::vector<Remark>& remarks);
// Instructions are found by their names in `module`, which may be null.
std::vector<Remark> remarksFromJson(std::string_view json, const Module* module);

std::string settingsToJson(const std::vector<EffectiveSetting>& settings);
std::vector<EffectiveSetting> settingsFromJson(std::string_view json);

}  // namespace hilo
