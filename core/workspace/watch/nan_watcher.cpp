// A NaN in the result.
#include <fmt/format.h>

#include "core/hlo/eval/compare.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

class NanWatcher : public Watcher {
 public:
  explicit NanWatcher(WatchOptions options) : options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    const auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (!run) return unknownFor(run.error());
    // Compared with itself an output has its NaNs counted.
    const auto counted = compareLiterals(*run->output, *run->output);
    if (!counted) return unknownFor(counted.error());
    for (const LiteralDifference& array : *counted) {
      if (array.nanA > 0)
        return Observation{Sight::Bad, "nan",
                           fmt::format("{} of {} elements are NaN", array.nanA, array.elements)};
    }
    return Observation{};
  }

 private:
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeNanWatcher(std::string_view, const WatchOptions& options) {
  TRY_STATUS(checkEngine(options.engine));
  return std::make_unique<NanWatcher>(options);
}

}  // namespace hilo
