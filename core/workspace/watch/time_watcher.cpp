// How long the engine takes: the median of several runs; against another module's the two are run in turns.
#include <fmt/format.h>

#include "core/workspace/watch/limit.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

class TimeWatcher : public Watcher {
 public:
  TimeWatcher(WatchLimit limit, WatchOptions options)
      : limit_(std::move(limit)), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    std::vector<RunRequest> requests = {requestFor(withoutDeadCode(*passed.module), watched)};
    if (limit_.isFactor) requests.push_back(requestFor(withoutDeadCode(*watched.module), watched));
    const auto runs = executeInTurns(requests, context);
    if (!runs) return unknownFor(runs.error());
    const auto taken = static_cast<double>(runs->front().timings.medianNs());
    const auto before = limit_.isFactor ? static_cast<double>(runs->back().timings.medianNs()) : 0.0;
    std::string what = fmt::format("{:.3f} ms", taken / 1e6);
    if (limit_.isFactor) what += fmt::format(", was {:.3f} ms", before / 1e6);
    if (!limit_.isOver(before, taken)) return Observation{.what = std::move(what)};
    return Observation{Sight::Bad, "time", std::move(what)};
  }

  bool needsQuiet() const override { return true; }

 private:
  RunRequest requestFor(std::shared_ptr<const Module> module, const WatchedCase& watched) const {
    return {.module = std::move(module),
            .engine = options_.engine,
            .arguments = {.kind = ArgumentSource::Kind::Given, .given = watched.arguments},
            .repeat = options_.samples,
            .worker = options_.worker};
  }

  const WatchLimit limit_;
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeTimeWatcher(std::string_view argument, const WatchOptions& options) {
  TRY_STATUS(checkEngine(options.engine));
  TRY(WatchLimit limit, parseLimit(argument));
  return std::make_unique<TimeWatcher>(std::move(limit), options);
}

}  // namespace hilo
