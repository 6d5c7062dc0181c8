// A study of layouts as JSON, as `hilo layouts --json` prints it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/workspace/layouts/layout_study.h"

namespace hilo {

nlohmann::json layoutStudyJson(const LayoutStudy& study);

}  // namespace hilo
