#include "core/workspace/bisect/rewrites.h"

#include <fmt/format.h>

#include "core/hlo/text/print.h"
#include "core/workspace/bisect/search.h"

namespace hilo {
namespace {

class RewriteSearch {
 public:
  RewriteSearch(const BisectRequest& request, const ConfiguredPass& pass,
                std::shared_ptr<const Module> before, bool apart, const LookAt& look,
                const JobContext& context)
      : request_(request),
        pass_(pass),
        before_(std::move(before)),
        apart_(apart),
        look_(look),
        context_(context) {}

  Result<PassStep> run(int64_t fuel) const {
    PassRunOptions options{.cancel = context_.cancel()};
    if (fuel != Fuel::kUnlimited) options.fuel = {{std::string(pass_.pass->name), fuel}};
    PassRun run = runPasses(before_, {pass_}, options);
    if (context_.cancelled()) return cancelledError();
    return std::move(run.steps.front());
  }

  Result<Sight> sightAt(int64_t fuel) const {
    WatchedCase watched{.module = request_.module, .arguments = request_.arguments};
    if (apart_) {
      watched.module = before_;
      watched.passes = {pass_};
      watched.fuel = {{std::string(pass_.pass->name), fuel}};
    } else {
      TRY(const PassStep step, run(fuel));
      // What the pass broke is for the verifier's watcher to say.
      watched.after = step.outcome == PassOutcome::Failed ? nullptr : step.module;
      if (watched.after == nullptr) {
        watched.module = before_;
        watched.passes = {pass_};
        watched.fuel = {{std::string(pass_.pass->name), fuel}};
      }
    }
    return look_(watched, fuel);
  }

  // A number of rewrites that is bad; nullopt where none is.
  Result<std::optional<int64_t>> someBad() const {
    if (!apart_) {
      TRY(const PassStep whole, run(Fuel::kUnlimited));
      if (whole.rewrites == 0) return std::nullopt;
      TRY(const Sight sight, sightAt(whole.rewrites));
      return sight == Sight::Bad ? std::optional(whole.rewrites) : std::nullopt;
    }
    constexpr int64_t kMost = int64_t{1} << 32;
    for (int64_t fuel = 1; fuel <= kMost; fuel *= 2) {
      TRY(const Sight sight, sightAt(fuel));
      if (sight == Sight::Bad) return fuel;
    }
    return std::nullopt;
  }

 private:
  const BisectRequest& request_;
  const ConfiguredPass& pass_;
  const std::shared_ptr<const Module> before_;
  const bool apart_;
  const LookAt& look_;
  const JobContext& context_;
};

// What the passes made of it with one rewrite fewer knows what would have come next.
Status describe(const RewriteSearch& search, bool apart, Bisection& found) {
  BadRewrite& rewrite = *found.rewrite;
  TRY(const PassStep good, search.run(rewrite.good));
  found.good = good.module;
  rewrite.instruction = good.refused;
  if (good.refused) {
    if (const Instruction* instruction = good.module->instruction(good.refused->id))
      rewrite.text = printInstruction(*instruction);
  }
  if (apart) return {};
  TRY(const PassStep bad, search.run(rewrite.bad));
  found.bad = bad.module;
  return {};
}

}  // namespace

Status findBadRewrite(const BisectRequest& request, const BisectSteps& steps, bool apart, const LookAt& look,
                      const JobContext& context, Bisection& found) {
  const ConfiguredPass& pass = *steps.passOf(found.firstBad);
  const RewriteSearch search(request, pass, found.good, apart, look, context);
  TRY(const Sight untouched, search.sightAt(0));
  if (untouched == Sight::Bad) {
    found.whyNoRewrite = fmt::format("{} fails before the first rewrite it asks for", pass.pass->name);
    return {};
  }
  TRY(const std::optional<int64_t> bad, search.someBad());
  if (!bad) {
    found.whyNoRewrite = fmt::format("{} does not ask before what breaks it", pass.pass->name);
    return {};
  }
  TRY(const Turn turn, findTurn(0, *bad, [&](int64_t fuel) { return search.sightAt(fuel); }));
  found.rewrite = BadRewrite{.good = turn.good, .bad = turn.bad};
  TRY(found.rewrite->earlier, steps.earlierRewrites(found.firstBad));
  return describe(search, apart, found);
}

}  // namespace hilo
