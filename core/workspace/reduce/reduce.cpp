#include "core/workspace/reduce/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/stopwatch.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/reduce/module_size.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

class Reducer {
 public:
  Reducer(const ReduceRequest& request, Watcher& watcher, const JobContext& context)
      : request_(request), watcher_(watcher), context_(context) {}

  Result<Reduction> run() {
    best_.module = request_.module;
    if (hasValues_) best_.arguments = request_.arguments;
    best_.instructionsBefore = request_.module->instructionCount();
    TRY_STATUS(chooseMoves());
    TRY(best_.failure, watcher_.look(caseOf(best_.module, best_.arguments), context_));
    ++best_.looks;
    if (best_.failure.sight != Sight::Bad) {
      return fail("does-not-fail", fmt::format("{} does not show what is watched", request_.module->name()),
                  {},
                  best_.failure.what.empty() ? std::vector<std::string>() : std::vector{best_.failure.what});
    }
    if (!request_.passes.empty() && !watcher_.runsPassesApart()) {
      TRY(const Observation before, lookBeforePasses(best_.module, best_.arguments));
      isGoodBefore_ = before.sight == Sight::Good;
    }
    size_ = sizeOf(*best_.module);
    const Status ended = reduceRound();
    if (!ended && ended.error().kind != "cancelled") return std::unexpected(ended.error());
    return std::move(best_);
  }

 private:
  Status chooseMoves() {
    for (const Move& move : allMoves()) {
      if (request_.moves.empty() || std::ranges::find(request_.moves, move.name) != request_.moves.end())
        moves_.push_back(&move);
    }
    for (const Move* move : moves_) best_.moves.push_back({std::string(move->name)});
    for (const std::string& name : request_.moves) {
      std::vector<std::string_view> names;
      for (const Move& move : allMoves()) names.push_back(move.name);
      if (std::ranges::find(names, name) == names.end())
        return fail("unknown-move", fmt::format("no move is called '{}'", name), {},
                    {fmt::format("there are: {}", fmt::join(names, ", "))});
    }
    return {};
  }

  // Rounds over all moves until none helps, or it is enough.
  Status reduceRound() {
    for (;;) {
      const size_t taken = best_.steps.size();
      for (size_t n = 0; n < moves_.size(); ++n) {
        TRY_STATUS(tryEverywhere(*moves_[n], best_.moves[n]));
        if (isOver()) return {};
      }
      if (best_.steps.size() == taken) break;
    }
    best_.isFinished = true;
    return {};
  }

  // All sites at once, then halves, quarters, ..., single ones: the last first, which others hang on least.
  Status tryEverywhere(const Move& move, MoveTally& tally) {
    std::vector<MoveSite> sites = move.sites(*best_.module);
    const EntryValues values(best_.module, best_.arguments, context_.cancel());
    for (size_t size = sites.size(); size > 0 && !sites.empty(); size /= 2) {
      for (size_t end = sites.size(); end > 0 && !isOver();) {
        const size_t begin = end > size ? end - size : 0;
        const std::span<const MoveSite> chunk(sites.data() + begin, end - begin);
        TRY(const bool taken, tryAt(move, tally, chunk, values));
        if (taken)
          sites.erase(sites.begin() + static_cast<ptrdiff_t>(begin),
                      sites.begin() + static_cast<ptrdiff_t>(end));
        end = begin;
      }
      size = std::min(size, std::max<size_t>(sites.size(), 1));
    }
    return {};
  }

  Result<bool> tryAt(const Move& move, MoveTally& tally, std::span<const MoveSite> sites,
                     const EntryValues& values) {
    if (context_.cancelled()) return cancelledError();
    Draft draft{best_.module->clone(), best_.arguments, hasValues_ ? &values : nullptr, hasValues_};
    ++best_.candidates;
    ++tally.candidates;
    if (!move.apply(draft, sites)) return false;
    tidy(draft);
    const ModuleSize size = sizeOf(*draft.module);
    if (size >= size_ || hasErrors(verify(*draft.module, VerifyOptions{}))) return false;
    std::shared_ptr<const Module> module = std::move(draft.module);
    tell(move);
    ++best_.looks;
    ++tally.looks;
    TRY(const Observation seen, watcher_.look(caseOf(module, draft.arguments), context_));
    if (seen.sight != Sight::Bad || seen.kind != best_.failure.kind) return false;
    if (isGoodBefore_) {
      TRY(const Observation before, lookBeforePasses(module, draft.arguments));
      if (before.sight == Sight::Bad) return false;
    }
    best_.module = module;
    best_.arguments = std::move(draft.arguments);
    best_.failure = seen;
    best_.steps.push_back({std::string(move.name), sites.size(), std::move(module), watch_.ns()});
    ++tally.taken;
    size_ = size;
    if (request_.taken) TRY_STATUS(request_.taken(best_));
    return true;
  }

  WatchedCase caseOf(std::shared_ptr<const Module> module, std::vector<Literal> arguments) const {
    return {.module = std::move(module), .passes = request_.passes, .arguments = std::move(arguments)};
  }

  // What fails without the passes too is another failure.
  Result<Observation> lookBeforePasses(std::shared_ptr<const Module> module, std::vector<Literal> arguments) {
    ++best_.looks;
    return watcher_.look({.module = std::move(module), .arguments = std::move(arguments)}, context_);
  }

  bool isOver() const {
    return (request_.enough > 0 && best_.module->instructionCount() <= request_.enough) ||
           (request_.timeLimitNs > 0 && watch_.ns() > request_.timeLimitNs);
  }

  void tell(const Move& move) const {
    const size_t now = best_.module->instructionCount();
    context_.progress(1 - static_cast<double>(now) / static_cast<double>(best_.instructionsBefore),
                      fmt::format("{} of {} instructions, {}", now, best_.instructionsBefore, move.name));
  }

  const ReduceRequest& request_;
  Watcher& watcher_;
  const JobContext& context_;
  std::vector<const Move*> moves_;
  Reduction best_;
  ModuleSize size_{};
  bool isGoodBefore_ = false;  // before the passes, and so must every candidate be
  const bool hasValues_ = watcher_.heedsValues();
  const Stopwatch watch_;
};

}  // namespace

Result<Reduction> reduce(const ReduceRequest& request, Watcher& watcher, const JobContext& context) {
  TRY_STATUS(requireVerified(*request.module));
  return Reducer(request, watcher, context).run();
}

PassSeries seriesOf(const ReduceRequest& request, const Reduction& reduction) {
  PassSeries series{.title = "reduction of " + std::string(request.module->name())};
  series.steps.push_back(makeStep("input", request.module));
  for (const ReducedStep& step : reduction.steps) {
    SeriesStep made = makeStep(step.move, step.module, StepKind::Pass);
    made.outcome = PassOutcome::Changed;
    made.pipeline = "reduce";
    series.steps.push_back(std::move(made));
  }
  return series;
}

}  // namespace hilo
