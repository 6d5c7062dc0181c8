// Overlays that need more than the module: the passes it went through, or a run of it.
#pragma once

#include "core/analysis/overlay/overlay.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/partition/partition.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/value_study.h"

namespace hilo {

// For each instruction of step `step`'s module the last pass up to there that made, changed or moved it; none
// for those that are as they were in step 0. Reads every step before it: run it in a job. Fails with
// "cancelled" and as reading a step does.
Result<Overlay> changedByPass(const PassSeries& series, size_t step, const JobContext& context);

// How long each instruction takes, compiled as it stands by the first engine that makes programs, and run one
// thunk after the other with made-up arguments: of a few runs the median; what is run several times (in a
// loop) is summed. Instructions without a thunk of their own have none. In a worker when `worker` is set.
// Errors: as of compiling and running.
Result<Overlay> measuredTimes(std::shared_ptr<const Module> module,
                              const std::optional<WorkerOptions>& worker, const JobContext& context);

// How long each instruction took in a kept run of a module of the same name, by the times of its thunks. An
// instruction is one that the run timed where it has the same id and name, or at least the same name: what
// passes fused before the run has no time of its own. Kinds "no-thunk-times", "other-module" (the run timed
// none of these instructions).
Result<Overlay> timesOfRun(const RunRecord& run, const Module& module);

// The same times as a profile that estimates are overridden by (core/analysis/cost/profile_latency.h): lines
// NAME,MICROSECONDS of an instruction that runs once. The kinds of timesOfRun.
Result<std::string> profileOfRun(const RunRecord& run, const Module& module);

// Of the values the entry's instructions have, over all devices.
enum class ValueFact : uint8_t { Magnitude, NotFinite };
Overlay overlayOfValues(const ValueStudy& study, ValueFact fact);

// The shardings of a module's instructions once they have spread, as names; marked are the edges where a
// value moves from one to another. By names: instructions of `module` that the partitioning does not know
// have none. Kind "not-sharded": the module was partitioned before, its moves are instructions.
Result<Overlay> overlayOfReshards(const Partitioning& partitioning, const Module& module);

// How far apart two engines are at each instruction of the entry, computed by itself on true operands.
Overlay overlayOfDifferences(const Divergence& divergence, const Module& module);

}  // namespace hilo
