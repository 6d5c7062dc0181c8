// The module that is searched or reduced, with the values it is watched with.
#pragma once

#include <memory>
#include <vector>

#include "core/workspace/run/runs.h"

namespace hilo {

// Elided constants have values. No arguments: no engine can run it; what runs nothing can be watched.
struct SearchInput {
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;
};

// Kinds: the first error of a module that does not verify, "several-arguments" where each device has its own,
// "cancelled", those of settleModule().
Result<SearchInput> settleInput(std::shared_ptr<const Module> module, const ArgumentSource& arguments,
                                const std::optional<WorkerOptions>& worker, const JobContext& context);

}  // namespace hilo
