// The measured times of a study as a profile that estimates are overridden by (core/analysis/cost).
#pragma once

#include <string>

#include "core/hlo/ir/module.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// A line NAME,MICROSECONDS for each instruction of the module that thunks were measured for: the time of all
// of them when it runs once. Kind "no-thunk-times": nothing was measured.
Result<std::string> profileText(const ThunkStudy& study, const Module& module);

}  // namespace hilo
