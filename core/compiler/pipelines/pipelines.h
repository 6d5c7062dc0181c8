// Named orders of passes (pipelines.def).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// A named part of a pipeline.
struct PipelinePhase {
  std::string_view name;
  size_t first, count;  // of its passes
};

struct Pipeline {
  std::string_view name;
  std::string_view summary;
  std::vector<const Pass*> passes;
  std::vector<PipelinePhase> phases;  // all of it, in order; none where it has no parts
  // "" where it has no phases.
  std::string_view phaseOf(size_t pass) const;
};

std::span<const Pipeline> allPipelines();
const Pipeline* findPipeline(std::string_view name);

}  // namespace hilo
