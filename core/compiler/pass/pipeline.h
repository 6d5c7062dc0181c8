// Passes in an order, by a name. The order of each stands in pipelines/pipelines.def.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// A named part of a pipeline.
struct PipelinePhase {
  std::string_view name;
  size_t first, count;  // of its passes
};

// Passes that run in turns until a turn changes nothing, as XLA's HloPassFix.
struct Fixpoint {
  static constexpr int kMostRounds = 25;
  std::string_view name;
  size_t first, count;  // of its passes
};

// What follows the passes where their module is compiled. These are no passes: what they make is no module.
struct LoweringStep {
  std::string_view name;
  std::string_view summary;
};
std::span<const LoweringStep> loweringSteps();

struct Pipeline {
  std::string_view name;
  std::string_view summary;
  std::vector<ConfiguredPass> passes;
  std::vector<PipelinePhase> phases;     // all of it, in order; none where it has no parts
  std::vector<Fixpoint> fixpoints = {};  // in order, apart from each other
  bool isLowered = false;                // loweringSteps() follow
  // "" where it has no phases.
  std::string_view phaseOf(size_t pass) const;
};

}  // namespace hilo
