// Named orders of passes (pipelines.def).
#pragma once

#include "core/compiler/pass/pipeline.h"

namespace hilo {

std::span<const Pipeline> allPipelines();
const Pipeline* findPipeline(std::string_view name);

}  // namespace hilo
