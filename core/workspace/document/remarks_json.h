// The remarks of a pass as JSON, for a document. Private to the workspace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/workspace/passes/pass_series.h"

namespace hilo {

std::string remarksToJson(const std::vector<StepRemark>& remarks);
// What is not of that form is left out. Instructions are found by their names in `module`, which may be null.
std::vector<StepRemark> remarksFromJson(std::string_view json, const Module* module);

}  // namespace hilo
