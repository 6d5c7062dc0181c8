#include "core/workspace/passes/beside.h"

#include <fmt/format.h>

#include "core/analysis/diff/sequence_alignment.h"
#include "core/compiler/pipelines/gpu_pipeline.h"
#include "core/workspace/run/dumped_flags.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo {
namespace {

using Steps = std::vector<const SeriesStep*>;

// A stage that no pass ended: before and after all of them.
bool isNamedStage(const SeriesStep& stage) { return stage.pipeline.empty(); }

// Places in the two lists.
std::vector<PassPair> alignPasses(const Steps& theirs, const Steps& ours) {
  std::vector<PassPair> pairs;
  if (theirs.empty() || ours.empty()) return pairs;
  pairs.push_back({0, 0});
  constexpr uint32_t kSamePass = 1, kSamePlace = 2;
  const auto rest = [](const Steps& steps) { return static_cast<uint32_t>(steps.size() - 1); };
  const auto score = [&](uint32_t t, uint32_t o) -> uint32_t {
    const SeriesStep &stage = *theirs[t + 1], &step = *ours[o + 1];
    if (isNamedStage(stage) || step.isLowering() || stage.name != step.name) return 0;
    return stage.pipeline == step.pipeline ? kSamePlace : kSamePass;
  };
  for (const auto& [t, o] : alignSequences(rest(theirs), rest(ours), kSamePlace, score))
    pairs.push_back({t + 1, o + 1});
  size_t last = ours.size() - 1;  // that is a pass
  while (last > 0 && ours[last]->isLowering()) --last;
  if (theirs.size() > 1 && isNamedStage(*theirs.back()) && pairs.back().ours < last)
    pairs.push_back({theirs.size() - 1, last});
  return pairs;
}

Steps stepsOf(const PassSeries& series) {
  Steps steps;
  for (const SeriesStep& step : series.steps) steps.push_back(&step);
  return steps;
}

// Device and flags that the request leaves open; what was assumed.
std::vector<std::string> takeFromDump(const std::string& path, OptimizeRequest& request) {
  std::vector<std::string> notes;
  if (request.target.empty()) {
    const ScheduleTarget target = scheduleTargetOf(*request.module, path);
    notes.push_back("device: " + targetText(target));
    if (target.isKnown) request.target = target.device;
  }
  if (request.xlaFlags.empty()) {
    auto options = dumpedOptions(path);
    if (options)
      request.xlaFlags = *std::move(options);
    else
      notes.push_back("flags: XLA's defaults: " + options.error().message);
  }
  return notes;
}

}  // namespace

PassSeries besideSeries(const PassSeries& theirs, const PassSeries& ours) {
  PassSeries both{.title = fmt::format("{}: XLA's stages and ours", ours.title),
                  .sharedIds = ours.sharedIds,
                  .hasBoth = true,
                  .notes = ours.notes};
  size_t t = 0, o = 0;
  const auto take = [&](size_t theirsEnd, size_t oursEnd) {
    while (o < oursEnd) both.steps.push_back(ours.steps[o++]);
    while (t < theirsEnd) both.steps.push_back(theirs.steps[t++]);
  };
  for (const PassPair& pair : alignPasses(stepsOf(theirs), stepsOf(ours))) {
    take(pair.theirs + 1, pair.ours);
    both.steps.push_back(ours.steps[o++]);
  }
  take(theirs.steps.size(), ours.steps.size());
  return both;
}

std::vector<PassPair> pairedSteps(const PassSeries& both) {
  if (!both.hasBoth) return {};
  Steps theirs, ours;
  std::vector<size_t> theirPlaces, ourPlaces;
  for (size_t n = 0; n < both.steps.size(); ++n) {
    const bool isTheirs = both.isTheirs(n);
    (isTheirs ? theirs : ours).push_back(&both.steps[n]);
    (isTheirs ? theirPlaces : ourPlaces).push_back(n);
  }
  std::vector<PassPair> pairs = alignPasses(theirs, ours);
  for (PassPair& pair : pairs) pair = {theirPlaces[pair.theirs], ourPlaces[pair.ours]};
  return pairs;
}

std::optional<size_t> twinOf(const PassSeries& both, size_t step) {
  for (const PassPair& pair : pairedSteps(both)) {
    if (pair.theirs == step) return pair.ours;
    if (pair.ours == step) return pair.theirs;
  }
  return std::nullopt;
}

Result<PassSeries> oursBesideStages(const PassSeries& stages, OptimizeRequest request,
                                    const JobContext& context) {
  if (stages.steps.empty()) return fail("no-stages", fmt::format("{} has no stages", stages.title));
  TRY(request.module, stages.steps.front().module());
  const std::string& path = stages.steps.front().path;
  if (request.pipeline.empty() && request.passes.empty()) request.pipeline = kGpuPipeline;
  std::vector<std::string> notes;
  if (request.pipeline == kGpuPipeline) notes = takeFromDump(path, request);
  TRY(PassSeries ours, optimize(request, context));
  ours.notes.insert(ours.notes.begin(), notes.begin(), notes.end());
  return besideSeries(stages, ours);
}

Result<std::vector<PairDifference>> comparePairs(const PassSeries& both, const JobContext& context) {
  std::vector<PairDifference> differences;
  const std::vector<PassPair> pairs = pairedSteps(both);
  for (const PassPair& pair : pairs) {
    if (context.cancelled()) return cancelledError();
    context.progress(static_cast<double>(differences.size()) / static_cast<double>(pairs.size()),
                     both.steps[pair.theirs].name);
    TRY(const StepDiff diff, diffSteps(both, pair.theirs, pair.ours));
    differences.push_back({.steps = pair,
                           .theirs = diff.instructionsBefore,
                           .ours = diff.instructionsAfter,
                           .added = diff.added,
                           .removed = diff.removed,
                           .changed = diff.changed,
                           .moved = diff.moved});
  }
  return differences;
}

}  // namespace hilo
