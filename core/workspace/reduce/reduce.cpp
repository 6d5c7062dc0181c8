#include "core/workspace/reduce/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/stopwatch.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/reduce/module_size.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

class Reducer {
 public:
  Reducer(const ReduceRequest& request, std::span<Watcher* const> watchers, const JobContext& context)
      : request_(request), watchers_(watchers), watcher_(*watchers[0]), context_(context) {}

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

  // A smaller module that verifies, made at some of a move's sites.
  struct Candidate {
    size_t begin = 0, end = 0;
    std::shared_ptr<const Module> module;
    std::vector<Literal> arguments;
    ModuleSize size{};
    Result<Observation> seen = Observation{};
  };

  // All sites at once, then halves, quarters, ..., single ones: the last first, which others hang on least.
  // As many candidates as there are watchers are looked at beside each other; the first that fails is taken,
  // and those after it are made again of what it left.
  Status tryEverywhere(const Move& move, MoveTally& tally) {
    std::vector<MoveSite> sites = move.sites(*best_.module);
    const EntryValues values(best_.module, best_.arguments, context_.cancel());
    for (size_t size = sites.size(); size > 0 && !sites.empty(); size /= 2) {
      for (size_t end = sites.size(); end > 0 && !isOver();) {
        if (context_.cancelled()) return cancelledError();
        std::vector<Candidate> batch;
        for (; end > 0 && batch.size() < watchers_.size(); end -= std::min(end, size)) {
          Candidate candidate{.begin = end - std::min(end, size), .end = end};
          const std::span<const MoveSite> chunk(sites.data() + candidate.begin, end - candidate.begin);
          if (makeAt(move, tally, chunk, values, candidate)) batch.push_back(std::move(candidate));
        }
        if (!batch.empty()) tell(move);
        look(batch, tally);
        for (Candidate& candidate : batch) {
          TRY(const bool taken, take(move, tally, candidate));
          if (!taken) continue;
          sites.erase(sites.begin() + static_cast<ptrdiff_t>(candidate.begin),
                      sites.begin() + static_cast<ptrdiff_t>(candidate.end));
          end = candidate.begin;
          break;
        }
      }
      size = std::min(size, std::max<size_t>(sites.size(), 1));
    }
    return {};
  }

  bool makeAt(const Move& move, MoveTally& tally, std::span<const MoveSite> sites, const EntryValues& values,
              Candidate& made) {
    Draft draft{best_.module->clone(), best_.arguments, hasValues_ ? &values : nullptr, hasValues_};
    ++best_.candidates;
    ++tally.candidates;
    if (!move.apply(draft, sites)) return false;
    tidy(draft);
    made.size = sizeOf(*draft.module);
    if (made.size >= size_ || hasErrors(verify(*draft.module, VerifyOptions{}))) return false;
    made.module = std::move(draft.module);
    made.arguments = std::move(draft.arguments);
    return true;
  }

  void look(std::vector<Candidate>& batch, MoveTally& tally) {
    best_.looks += static_cast<int64_t>(batch.size());
    tally.looks += static_cast<int64_t>(batch.size());
    std::vector<std::jthread> others;
    for (size_t n = 1; n < batch.size(); ++n) {
      others.emplace_back([&, n] {
        batch[n].seen =
            watchers_[n]->look(caseOf(batch[n].module, batch[n].arguments), JobContext(context_.cancel()));
      });
    }
    if (!batch.empty()) batch[0].seen = watcher_.look(caseOf(batch[0].module, batch[0].arguments), context_);
  }

  Result<bool> take(const Move& move, MoveTally& tally, Candidate& candidate) {
    TRY(const Observation seen, std::move(candidate.seen));
    if (seen.sight != Sight::Bad || seen.kind != best_.failure.kind) return false;
    if (isGoodBefore_) {
      TRY(const Observation before, lookBeforePasses(candidate.module, candidate.arguments));
      if (before.sight == Sight::Bad) return false;
    }
    best_.module = candidate.module;
    best_.arguments = std::move(candidate.arguments);
    best_.failure = seen;
    best_.steps.push_back(
        {std::string(move.name), candidate.end - candidate.begin, std::move(candidate.module), watch_.ns()});
    ++tally.taken;
    size_ = candidate.size;
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
  const std::span<Watcher* const> watchers_;
  Watcher& watcher_;  // the first of them
  const JobContext& context_;
  std::vector<const Move*> moves_;
  Reduction best_;
  ModuleSize size_{};
  bool isGoodBefore_ = false;  // before the passes, and so must every candidate be
  const bool hasValues_ = watcher_.heedsValues();
  const Stopwatch watch_;
};

}  // namespace

Result<Reduction> reduce(const ReduceRequest& request, std::span<Watcher* const> watchers,
                         const JobContext& context) {
  TRY_STATUS(requireVerified(*request.module));
  return Reducer(request, watchers, context).run();
}

Result<Reduction> reduce(const ReduceRequest& request, Watcher& watcher, const JobContext& context) {
  Watcher* const watchers[] = {&watcher};
  return reduce(request, watchers, context);
}

PassSeries seriesOf(const ReduceRequest& request, const Reduction& reduction) {
  PassSeries series{.title = "reduction of " + std::string(request.module->name())};
  series.steps = request.earlier;
  if (series.steps.empty()) series.steps.push_back(makeStep("input", request.module));
  for (const ReducedStep& step : reduction.steps) {
    SeriesStep made = makeStep(step.move, step.module, StepKind::Pass);
    made.outcome = PassOutcome::Changed;
    made.pipeline = "reduce";
    series.steps.push_back(std::move(made));
  }
  return series;
}

}  // namespace hilo
