// The result against values that are given.
#include <fmt/format.h>

#include "core/hlo/eval/compare.h"
#include "core/workspace/run/expected_values.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

void collectLeaves(const Literal& value, std::vector<const Literal*>& leaves) {
  if (value.shape().isArray()) leaves.push_back(&value);
  for (const Literal& element : value.elements()) collectLeaves(element, leaves);
}

class ExpectedWatcher : public Watcher {
 public:
  ExpectedWatcher(ExpectedValues expected, WatchOptions options)
      : expected_(std::move(expected)), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    if (const auto unknown = unknownForElided(*passed.module)) return *unknown;
    const auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (!run) return unknownFor(run.error());
    std::vector<const Literal*> leaves;
    collectLeaves(*run->output, leaves);
    const auto expected = expected_.arraysFor(run->output->shape());
    if (!expected) return unknownFor(expected.error());
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto compared = compareLiterals(*leaves[i], (*expected)[i].literal,
                                            {options_.tolerance.absolute, options_.tolerance.relative});
      if (!compared) return unknownFor(compared.error());
      const LiteralDifference& off = compared->front();
      if (off.mismatches == 0) continue;
      return Observation{Sight::Bad, "differs",
                         fmt::format("{}: {} of {} elements differ, first {}", (*expected)[i].name,
                                     off.mismatches, off.elements, off.firstMismatchText)};
    }
    return Observation{};
  }

 private:
  const ExpectedValues expected_;
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeExpectedWatcher(std::string_view argument, const WatchOptions& options) {
  TRY_STATUS(checkEngine(options.engine));
  TRY(ExpectedValues expected, ExpectedValues::read(std::string(argument)));
  return std::make_unique<ExpectedWatcher>(std::move(expected), options);
}

}  // namespace hilo
