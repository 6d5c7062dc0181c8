// What there is to look at of a case: what its passes make, and what an engine gives for it.
#pragma once

#include "core/workspace/watch/watch.h"

namespace hilo {

// After the passes of a case.
struct PassedModule {
  std::shared_ptr<const Module>
      module;                   // after the last pass that ran; not sound where `problems` has errors
  std::string failedPass = {};  // "" where none did
  Diagnostics problems = {};
  bool isSound() const { return failedPass.empty(); }
};
// Runs the passes in this process, unless somebody did. A module that no pass runs over
// is verified. Kind "cancelled".
Result<PassedModule> passedModule(const WatchedCase& watched, const JobContext& context);

// Without what nothing uses, which passes leave for dead code elimination to remove: amounts
// and times are of the rest.
std::shared_ptr<const Module> withoutDeadCode(const Module& module);

// What an engine gives, from one run. Errors as execute().
Result<RunRecord> runOnEngine(std::shared_ptr<const Module> module, const std::string& engine,
                              const WatchedCase& watched, const WatchOptions& options,
                              const JobContext& context);

// Where a constant of it was not written out its result says nothing of another module's: the sight of that;
// nullopt where all were.
std::optional<Observation> unknownForElided(const Module& module);

// What cannot be watched is no failure that is looked for; being cancelled ends the search.
Result<Observation> unknownFor(const Diagnostic& error);
Observation unknownFor(const PassedModule& passed);

// Kind "unknown-engine" where there is none of that name.
Status checkEngine(const std::string& engine);

}  // namespace hilo
