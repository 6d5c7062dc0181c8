#include "core/workspace/bisect/steps.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/hlo/eval/arguments.h"
#include "core/workspace/bisect/pipeline_edits.h"
#include "core/workspace/run/prepared_run.h"

namespace hilo {
namespace {

std::vector<std::string> namesOf(const std::vector<ConfiguredPass>& passes) {
  std::vector<std::string> names = {"input"};
  for (const ConfiguredPass& pass : passes) names.push_back(passText(pass));
  return names;
}

std::vector<ConfiguredPass> firstOf(const std::vector<ConfiguredPass>& passes, size_t count) {
  return {passes.begin(), passes.begin() + static_cast<ptrdiff_t>(count)};
}

int64_t rewritesOf(const PassRun& run, std::string_view pass, size_t before) {
  int64_t rewrites = 0;
  for (size_t i = 0; i < before; ++i) rewrites += run.steps[i].pass == pass ? run.steps[i].rewrites : 0;
  return rewrites;
}

class RanSteps : public BisectSteps {
 public:
  RanSteps(const BisectRequest& request, PassRun run) : request_(request), run_(std::move(run)) {}

  std::vector<std::string> names() const override {
    return namesOf(firstOf(request_.passes, run_.steps.size()));
  }
  std::vector<size_t> places() const override {
    std::vector<size_t> places = {0};
    for (size_t i = 0; i < run_.steps.size(); ++i) {
      if (run_.steps[i].outcome == PassOutcome::Changed || run_.steps[i].outcome == PassOutcome::Failed)
        places.push_back(i + 1);
    }
    return places;
  }
  Result<WatchedCase> caseOf(size_t step) const override {
    WatchedCase made{.module = request_.module, .arguments = request_.arguments};
    // A pass that failed is run again by who watches for that.
    const bool failed = step > 0 && run_.steps[step - 1].outcome == PassOutcome::Failed;
    if (failed) made.passes = firstOf(request_.passes, step);
    if (!failed) made.after = step == 0 ? request_.module : run_.steps[step - 1].module;
    return made;
  }
  Result<std::shared_ptr<const Module>> moduleAfter(size_t step) const override {
    return step == 0 ? request_.module : run_.steps[step - 1].module;
  }
  const ConfiguredPass* passOf(size_t step) const override { return &request_.passes[step - 1]; }
  Result<int64_t> earlierRewrites(size_t step) const override {
    return rewritesOf(run_, run_.steps[step - 1].pass, step - 1);
  }

 private:
  const BisectRequest& request_;
  const PassRun run_;
};

class ApartSteps : public BisectSteps {
 public:
  ApartSteps(const BisectRequest& request, const JobContext& context)
      : request_(request), context_(context) {}

  std::vector<std::string> names() const override { return namesOf(request_.passes); }
  std::vector<size_t> places() const override {
    std::vector<size_t> places(request_.passes.size() + 1);
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }
  Result<WatchedCase> caseOf(size_t step) const override {
    return WatchedCase{
        .module = request_.module, .passes = firstOf(request_.passes, step), .arguments = request_.arguments};
  }
  Result<std::shared_ptr<const Module>> moduleAfter(size_t step) const override {
    TRY(const PassRun run, runOf(step));
    return run.output();
  }
  const ConfiguredPass* passOf(size_t step) const override { return &request_.passes[step - 1]; }
  Result<int64_t> earlierRewrites(size_t step) const override {
    TRY(const PassRun run, runOf(step - 1));
    return rewritesOf(run, request_.passes[step - 1].name(), run.steps.size());
  }

 private:
  Result<PassRun> runOf(size_t step) const {
    PassRun run = runPasses(request_.module, firstOf(request_.passes, step), {.cancel = context_.cancel()});
    if (context_.cancelled()) return cancelledError();
    return run;
  }

  const BisectRequest& request_;
  const JobContext& context_;
};

class PipelineSteps : public BisectSteps {
 public:
  PipelineSteps(const BisectRequest& request, const JobContext& context)
      : request_(request), context_(context), edits_(*request.goodPasses, request.passes) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names = {"the good pipeline"};
    for (const PipelineEdit& edit : edits_.edits()) names.push_back(edit.text());
    return names;
  }
  std::vector<size_t> places() const override {
    std::vector<size_t> places(edits_.edits().size() + 1);
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }
  Result<WatchedCase> caseOf(size_t step) const override {
    return WatchedCase{
        .module = request_.module, .passes = edits_.passesWith(step), .arguments = request_.arguments};
  }
  Result<std::shared_ptr<const Module>> moduleAfter(size_t step) const override {
    const PassRun run = runPasses(request_.module, edits_.passesWith(step), {.cancel = context_.cancel()});
    if (context_.cancelled()) return cancelledError();
    return run.output();
  }
  std::string whyNoRewrites() const override {
    return "passes before and after the difference are in both; bisect the second pipeline alone";
  }
  // Each pipeline counts what it makes from the same number on.
  bool sharesIds() const override { return false; }

 private:
  const BisectRequest& request_;
  const JobContext& context_;
  const PipelineEdits edits_;
};

class StageSteps : public BisectSteps {
 public:
  explicit StageSteps(const BisectRequest& request) : request_(request) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const SeriesStep& step : request_.stages->steps) names.push_back(step.name);
    return names;
  }
  std::vector<size_t> places() const override {
    std::vector<size_t> places(request_.stages->steps.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }
  Result<WatchedCase> caseOf(size_t step) const override {
    TRY(auto first, moduleAfter(0));
    TRY(auto after, moduleAfter(step));
    return WatchedCase{
        .module = std::move(first), .after = std::move(after), .arguments = request_.arguments};
  }
  Result<std::shared_ptr<const Module>> moduleAfter(size_t step) const override {
    TRY(auto module, request_.stages->steps[step].module());
    TRY(const GeneratedArguments made, fillElidedConstants(*module, request_.seed));
    return withConstants(std::move(module), made);
  }
  std::string whyNoRewrites() const override { return "a dump's stages hold no rewrites"; }
  bool sharesIds() const override { return request_.stages->sharedIds; }

 private:
  const BisectRequest& request_;
};

}  // namespace

Result<std::unique_ptr<BisectSteps>> ranSteps(const BisectRequest& request, const JobContext& context) {
  PassRunOptions options{.cancel = context.cancel()};
  options.progress = [&](size_t step, size_t count, std::string_view pass) {
    context.progress(-1, fmt::format("{} of {} passes: {}", step + 1, count, pass));
  };
  PassRun run = runPasses(request.module, request.passes, options);
  if (context.cancelled()) return cancelledError();
  return std::make_unique<RanSteps>(request, std::move(run));
}

std::unique_ptr<BisectSteps> apartSteps(const BisectRequest& request, const JobContext& context) {
  return std::make_unique<ApartSteps>(request, context);
}

std::unique_ptr<BisectSteps> pipelineSteps(const BisectRequest& request, const JobContext& context) {
  return std::make_unique<PipelineSteps>(request, context);
}

std::unique_ptr<BisectSteps> stageSteps(const BisectRequest& request) {
  CHECK(request.stages.has_value());
  return std::make_unique<StageSteps>(request);
}

}  // namespace hilo
