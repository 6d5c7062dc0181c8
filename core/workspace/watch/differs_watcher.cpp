// The result of what the passes made, against that of the module before them.
#include <fmt/format.h>

#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

std::string differenceText(const RunComparison& comparison) {
  for (const LeafComparison& leaf : comparison.leaves) {
    if (leaf.mismatches == 0) continue;
    return fmt::format("result {}{}: {} of {} elements differ, first {}", leaf.path,
                       leaf.name.empty() ? "" : " " + leaf.name, leaf.mismatches, leaf.elements,
                       leaf.firstMismatch);
  }
  return comparison.notComparable;
}

class DiffersWatcher : public Watcher {
 public:
  DiffersWatcher(std::string truth, WatchOptions options)
      : truth_(std::move(truth)), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    if (const auto unknown = unknownForElided(*passed.module)) return *unknown;
    if (watched.module != trueModule_ || !isKept(watched.arguments)) {
      auto truth = runOnEngine(watched.module, truth_, watched, options_, context);
      if (!truth) return unknownFor(truth.error());
      trueRun_ = *std::move(truth);
      trueModule_ = watched.module;
      arguments_ = watched.arguments;
    }
    auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (!run) return unknownFor(run.error());
    const RunComparison comparison = compareRuns(trueRun_, *std::move(run), options_.tolerance);
    if (!comparison.comparable) return Observation{Sight::Bad, "not-comparable", comparison.notComparable};
    if (comparison.verdict != Verdict::Differs) return Observation{.what = verdictName(comparison.verdict)};
    return Observation{Sight::Bad, "differs", differenceText(comparison)};
  }

 private:
  // A bisection looks at many modules made of one, on the same arguments.
  bool isKept(const std::vector<Literal>& arguments) const {
    return std::ranges::equal(arguments, arguments_, [](const Literal& a, const Literal& b) {
      return a.shape() == b.shape() && a.bytes().data() == b.bytes().data();
    });
  }

  const std::string truth_;
  const WatchOptions options_;
  std::shared_ptr<const Module> trueModule_;
  std::vector<Literal> arguments_;
  RunRecord trueRun_;
};

}  // namespace

MadeWatcher makeDiffersWatcher(std::string_view argument, const WatchOptions& options) {
  TRY_STATUS(checkEngine(std::string(argument)));
  TRY_STATUS(checkEngine(options.engine));
  return std::make_unique<DiffersWatcher>(std::string(argument), options);
}

}  // namespace hilo
