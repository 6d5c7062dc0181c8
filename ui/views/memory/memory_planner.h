// How the plans of what is open are had, in a job: XLA's lies with what the compiler ended with.
#pragma once

#include <functional>

#include "core/workspace/memory/memory_plans.h"
#include "core/workspace/session/comparable.h"

namespace hilo {

using MemoryPlanner = std::function<Result<MemoryPlans>(const CancelToken&)>;

MemoryPlanner plannerOf(const Session& session, const Snapshot& snapshot);
// As of the snapshot that the step's module is of; of one that is not open Hilo's plan alone.
MemoryPlanner plannerOf(const Session& session, const SeriesStep& step);

}  // namespace hilo
