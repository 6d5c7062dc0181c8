// Passes, the compiler and the compiled program, each in a process of its own, for one that ends it.
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/watch/pass_process.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

class CrashWatcher : public Watcher {
 public:
  CrashWatcher(bool compiles, WatchOptions options) : compiles_(compiles), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassesEnd end,
        runPassesApart(watched, options_.passWorker, compiles_ ? options_.engine : "", context.cancel()));
    if (end.crashed) return Observation{Sight::Bad, end.kind, end.what};
    if (!compiles_ || !options_.worker) return Observation{};
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    const auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (run) return Observation{};
    if (run.error().kind != "worker-crashed") return unknownFor(run.error());
    return Observation{Sight::Bad, run.error().kind, toString(run.error())};
  }
  bool runsPassesApart() const override { return true; }
  bool heedsValues() const override { return compiles_; }

 private:
  const bool compiles_;
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeCrashWatcher(std::string_view, const WatchOptions& options) {
  TRY(const ChosenEngine chosen, chooseEngine(options.engine));
  if (options.passWorker.empty())
    return fail("bad-watcher", "crashes are watched from another process, and none can be started here");
  return std::make_unique<CrashWatcher>(chosen.engine->compiler.has_value(), options);
}

}  // namespace hilo
