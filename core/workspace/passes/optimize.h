// Hilo's own passes over a module, every step kept.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/job_queue.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo {

struct PassInfo {
  std::string name;
  std::string summary;
};
std::vector<PassInfo> listPasses();
struct PipelineInfo {
  struct Phase {
    std::string name;
    std::vector<std::string> passes;
  };
  std::string name;
  std::string summary;
  std::vector<std::string> passes;
  std::vector<Phase> phases;       // the same passes by phase; empty where it has none
  std::vector<PassInfo> lowering;  // what follows its passes and is none; empty where nothing does
};
std::vector<PipelineInfo> listPipelines();

struct OptimizeRequest {
  std::shared_ptr<const Module> module;
  std::vector<std::string> passes;  // run in this order; or
  std::string pipeline;             // one of listPipelines(), run instead
  std::vector<std::string> disabled;
  bool snapshots = true;  // false: only the input and the result are kept
  bool verify = true;     // after each pass that changed something
  bool lowers = false;    // of a pipeline whose module is compiled: its steps of lowering too
};

// Step 0 is the input, then one step a pass; a step's pipeline is the phase it belongs to, or else the
// pipeline. A module that cannot be compiled ends with a step of lowering that was skipped and says why.
// Kinds: "unknown-pass", "unknown-pipeline" (with the nearest names), "cancelled", "pass-failed" (why in the
// notes).
Result<PassSeries> optimize(const OptimizeRequest& request, const JobContext& context);

}  // namespace hilo
