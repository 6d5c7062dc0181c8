// Named orders of passes (pipelines.def).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct Pipeline {
  std::string_view name;
  std::string_view summary;
  std::vector<const Pass*> passes;
};

std::span<const Pipeline> allPipelines();
const Pipeline* findPipeline(std::string_view name);

}  // namespace hilo
