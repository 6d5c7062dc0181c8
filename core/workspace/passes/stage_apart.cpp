#include "core/workspace/passes/stage_apart.h"

#include "core/analysis/implied_devices.h"
#include "core/base/stopwatch.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/worker.h"

namespace hilo {

bool isEngineApart(const std::string& pipeline) {
  const auto engine = engineApart(pipeline);
  return engine && *engine != nullptr;
}

Result<PassSeries> stageApart(const OptimizeRequest& request, const JobContext& context) {
  TRY(const ChosenEngine chosen, chooseEngine(request.pipeline));
  TRY_STATUS(checkObstacles(*chosen.engine, *request.module, impliedGrid(*request.module)));
  EngineSettings settings = chosen.settings();
  settings.worker = ownWorker();
  settings.tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  const Stopwatch watch;
  TRY(const auto executable, chosen.engine->compile(request.module, settings, context.cancel()));
  const int64_t taken = watch.ns();
  TRY(std::string bytes, executable->optimizedModule());
  TRY(const auto file, openBytes(std::move(bytes), "the optimised module", context.cancel()));
  for (const Diagnostic& diagnostic : file->diagnostics) {
    if (diagnostic.severity == Severity::kError) return std::unexpected(diagnostic);
  }
  PassSeries series{.title = std::string(request.module->name()), .notes = executable->notes};
  series.steps.push_back(makeStep("input", request.module));
  SeriesStep stage = makeStep("optimised", file->module, StepKind::Pass);
  stage.pipeline = request.pipeline;
  stage.outcome = PassOutcome::Changed;
  stage.durationNs = taken;
  series.steps.push_back(std::move(stage));
  return series;
}

}  // namespace hilo
