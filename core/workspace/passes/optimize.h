// Hilo's own passes over a module, every step kept.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compiler/pass/pipeline.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo {

std::span<const Pass> listPasses();
std::span<const Pipeline> listPipelines();
// One pass as passText writes it. Error kinds: those of parsePassList.
Result<ConfiguredPass> configuredPass(std::string_view text);

struct OptimizeRequest {
  std::shared_ptr<const Module> module;
  std::vector<std::string> passes;  // run in this order, each with its settings (passText); or
  // One of listPipelines(), run instead; or an engine with a compiler of its own: "pjrt:/path/lib.so".
  std::string pipeline;
  // Of the pipeline "gpu": what XLA_FLAGS or a dump's debug options file says, the GPU (findDevice; empty:
  // h100), and the month of XLA (XlaDate::parse; empty: the newest). Of the pipeline "cuda" the target is an
  // architecture, "sm_80", whose rates fusion reckons with.
  std::string xlaFlags, target, xlaDate;
  // Passes with settings: those passes run with them, each time the pipeline has one.
  std::vector<std::string> settings;
  std::vector<std::string> disabled;
  std::vector<std::string> fuel;  // "PASS=N": all runs of the pass make N rewrites at most
  bool snapshots = true;          // false: only the input and the result are kept
  bool verify = true;             // after each pass that changed something
  bool lowers = false;            // of a pipeline whose module is compiled: its steps of lowering too
};

// The passes that a request runs, without those that are disabled and XLA's that are not there. What runs
// until nothing changes is there kUnrolledRounds times. Without a module the pipeline gpu is that of one
// partition. Kinds as optimize().
inline constexpr int kUnrolledRounds = 3;
Result<std::vector<ConfiguredPass>> passesToRun(const OptimizeRequest& request);

// Step 0 is the input, then one step a pass; a step's pipeline is the phase it belongs to, or else the
// pipeline. A module that cannot be compiled ends with a step of lowering that was skipped and says why.
// Notes say which of XLA's passes are not there and which flags choose nothing.
// Kinds: "unknown-pipeline" (with those there are), those of parsePassList, "pass-not-run" (settings or
// fuel of a pass that the pipeline has not), "bad-fuel", "cancelled", "pass-failed" (why in the notes);
// "not-gpu" (flags, a target or a date with another pipeline),
// those of XlaFlags::parse, findDevice, XlaDate::parse and findGpuTarget.
Result<PassSeries> optimize(const OptimizeRequest& request, const JobContext& context);

}  // namespace hilo
