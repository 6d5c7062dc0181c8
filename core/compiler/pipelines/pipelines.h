// Named orders of passes (pipelines.def), and XLA's for one H100 (gpu_pipeline.h).
#pragma once

#include "core/compiler/pass/pipeline.h"

namespace hilo {

std::span<const Pipeline> allPipelines();
const Pipeline* findPipeline(std::string_view name);

}  // namespace hilo
