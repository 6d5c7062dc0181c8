#include "core/workspace/bisect/bisect.h"

#include <fmt/format.h>

#include "core/hlo/text/print.h"
#include "core/workspace/bisect/pipeline_edits.h"
#include "core/workspace/bisect/rewrites.h"
#include "core/workspace/bisect/search.h"
#include "core/workspace/open/verify_file.h"

namespace hilo {
namespace {

std::string lineOf(const Module& module, InstructionId id) {
  const Instruction* instruction = module.instruction(id);
  return instruction == nullptr ? "" : printInstruction(*instruction);
}

void describeChanges(bool sharedIds, Bisection& found) {
  if (found.good == nullptr || found.bad == nullptr) return;
  const StepDiff diff = diffModules(*found.good, *found.bad, {.sharedIds = sharedIds});
  std::vector<InstructionChange> changes = diff.changes;
  changes.insert(changes.end(), diff.reordered.begin(), diff.reordered.end());
  found.changeCount = changes.size();
  for (const InstructionChange& change : changes) {
    if (found.changes.size() == Bisection::kMostChanges) break;
    found.changes.push_back(
        {change.kind, change.name, lineOf(*found.good, change.before), lineOf(*found.bad, change.after)});
  }
}

class Search {
 public:
  Search(const BisectRequest& request, Watcher& watcher, const BisectSteps& steps, const JobContext& context)
      : request_(request), watcher_(watcher), steps_(steps), context_(context) {
    found_.steps = steps.names();
  }

  Result<Bisection> run() {
    const std::vector<size_t> places = steps_.places();
    TRY(const bool isSearchable, lookAtEnds(places));
    if (!isSearchable) return std::move(found_);
    const auto lookAt = [&](int64_t place) { return lookAtStep(places[static_cast<size_t>(place)]); };
    TRY(const Turn turn, findTurn(0, static_cast<int64_t>(places.size()) - 1, lookAt));
    found_.lastGood = places[static_cast<size_t>(turn.good)];
    found_.firstBad = places[static_cast<size_t>(turn.bad)];
    found_.pass = found_.steps[found_.firstBad];
    found_.isOneStep = turn.isExact();
    TRY(found_.good, steps_.moduleAfter(turn.isExact() ? found_.firstBad - 1 : found_.lastGood));
    if (steps_.passOf(found_.firstBad) != nullptr) found_.before = found_.good;
    const bool apart = watcher_.runsPassesApart();
    if (!apart) {
      TRY(found_.bad, steps_.moduleAfter(found_.firstBad));
    }
    if (steps_.passOf(found_.firstBad) == nullptr) {
      found_.whyNoRewrite = steps_.whyNoRewrites();
    } else if (!turn.isExact()) {
      found_.whyNoRewrite = "it cannot be told which of several passes it is";
    } else {
      const LookAt look = [&](const WatchedCase& watched, int64_t fuel) {
        return lookAtCase(found_.firstBad, fuel, watched);
      };
      TRY_STATUS(findBadRewrite(request_, steps_, apart, look, context_, found_));
    }
    describeChanges(steps_.sharesIds(), found_);
    return std::move(found_);
  }

 private:
  // False where there is nothing to search between.
  Result<bool> lookAtEnds(const std::vector<size_t>& places) {
    const auto endsAs = [&](BisectOutcome outcome) {
      found_.outcome = outcome;
      found_.end = found_.looks.back().seen;
      return false;
    };
    TRY(const Sight first, lookAtStep(places.front()));
    if (first == Sight::Bad) return endsAs(BisectOutcome::BadAtStart);
    if (first == Sight::Unknown) return endsAs(BisectOutcome::UnknownAtStart);
    TRY(const Sight last, lookAtStep(places.back()));
    if (last == Sight::Good) return endsAs(BisectOutcome::GoodAtEnd);
    if (last == Sight::Unknown) return endsAs(BisectOutcome::UnknownAtEnd);
    found_.end = found_.looks.back().seen;
    return true;
  }

  Result<Sight> lookAtStep(size_t step) {
    TRY(const WatchedCase watched, steps_.caseOf(step));
    return lookAtCase(step, -1, watched);
  }

  Result<Sight> lookAtCase(size_t step, int64_t fuel, const WatchedCase& watched) {
    if (context_.cancelled()) return cancelledError();
    const std::string& name = found_.steps[step];
    context_.progress(-1,
                      fuel < 0 ? fmt::format("after {}", name) : fmt::format("{}, {} rewrites", name, fuel));
    TRY(Observation seen, watcher_.look(watched, context_));
    // Another failure says nothing of the one that is looked for.
    if (seen.sight == Sight::Bad && !found_.end.kind.empty() && seen.kind != found_.end.kind)
      seen.sight = Sight::Unknown;
    found_.looks.push_back({step, name, fuel, seen});
    if (request_.looked) request_.looked(found_);
    return seen.sight;
  }

  const BisectRequest& request_;
  Watcher& watcher_;
  const BisectSteps& steps_;
  const JobContext& context_;
  Bisection found_;
};

}  // namespace

Result<Bisection> bisect(const BisectRequest& request, Watcher& watcher, const JobContext& context) {
  if (!request.stages) TRY_STATUS(requireVerified(*request.module));
  std::unique_ptr<BisectSteps> steps;
  if (request.stages) {
    steps = stageSteps(request);
  } else if (request.goodPasses) {
    if (PipelineEdits(*request.goodPasses, request.passes).edits().empty())
      return fail("same-pipelines", "the two pipelines have the same passes with the same settings");
    steps = pipelineSteps(request, context);
  } else if (watcher.runsPassesApart()) {
    steps = apartSteps(request, context);
  } else {
    TRY(steps, ranSteps(request, context));
  }
  return Search(request, watcher, *steps, context).run();
}

}  // namespace hilo
