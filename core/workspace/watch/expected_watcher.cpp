// The result against arrays in a file.
#include <fmt/format.h>

#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/npy.h"
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
  ExpectedWatcher(std::vector<NamedLiteral> expected, WatchOptions options)
      : expected_(std::move(expected)), options_(std::move(options)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    if (const auto unknown = unknownForElided(*passed.module)) return *unknown;
    const auto run = runOnEngine(passed.module, options_.engine, watched, options_, context);
    if (!run) return unknownFor(run.error());
    std::vector<const Literal*> leaves;
    collectLeaves(*run->output, leaves);
    if (leaves.size() != expected_.size()) {
      return Observation{
          Sight::Unknown,
          {},
          fmt::format("{} arrays are expected, there are {}", expected_.size(), leaves.size())};
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto compared = compareLiterals(*leaves[i], expected_[i].literal,
                                            {options_.tolerance.absolute, options_.tolerance.relative});
      if (!compared) return unknownFor(compared.error());
      const LiteralDifference& off = compared->front();
      if (off.mismatches == 0) continue;
      return Observation{Sight::Bad, "differs",
                         fmt::format("{}: {} of {} elements differ, first {}", expected_[i].name,
                                     off.mismatches, off.elements, off.firstMismatchText)};
    }
    return Observation{};
  }

 private:
  const std::vector<NamedLiteral> expected_;
  const WatchOptions options_;
};

}  // namespace

MadeWatcher makeExpectedWatcher(std::string_view argument, const WatchOptions& options) {
  TRY_STATUS(checkEngine(options.engine));
  const std::string path(argument);
  std::vector<NamedLiteral> expected;
  if (path.ends_with(".npz")) {
    TRY(expected, loadNpz(path));
  } else {
    TRY(Literal one, loadNpy(path));
    expected.push_back({"out0", std::move(one)});
  }
  return std::make_unique<ExpectedWatcher>(std::move(expected), options);
}

}  // namespace hilo
