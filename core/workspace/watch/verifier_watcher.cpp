// Errors of the verifier in what the passes made, and of passes and engines themselves.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/kinds.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

class VerifierWatcher : public Watcher {
 public:
  explicit VerifierWatcher(std::string_view kind) : kind_(kind) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    const Diagnostics found = verify(*passed.module, VerifyOptions{});
    for (const Diagnostic& problem : found) {
      if (problem.severity == Severity::kError && (kind_.empty() || problem.kind == kind_))
        return Observation{Sight::Bad, problem.kind, toString(problem)};
    }
    if (!passed.isSound()) return unknownFor(passed);
    return Observation{};
  }
  bool heedsValues() const override { return false; }

 private:
  const std::string kind_;
};

class FailsWatcher : public Watcher {
 public:
  FailsWatcher(std::string_view kind, WatchOptions options) : kind_(kind), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound())
      return passed.problems.empty() ? unknownFor(passed) : sightOf(passed.problems.front());
    const auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (run) return Observation{};
    if (run.error().kind == "cancelled") return std::unexpected(run.error());
    return sightOf(run.error());
  }

 private:
  Observation sightOf(const Diagnostic& error) const {
    const bool isIt = kind_.empty() || kind_ == error.kind;
    return {isIt ? Sight::Bad : Sight::Unknown, isIt ? error.kind : "", toString(error)};
  }

  const std::string kind_;
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeVerifierWatcher(std::string_view argument, const WatchOptions&) {
  return std::make_unique<VerifierWatcher>(argument);
}

MadeWatcher makeFailsWatcher(std::string_view argument, const WatchOptions& options) {
  TRY_STATUS(checkEngine(options.engine));
  return std::make_unique<FailsWatcher>(argument, options);
}

}  // namespace hilo
