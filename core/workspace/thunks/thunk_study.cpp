#include "core/workspace/thunks/thunk_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/run/run_arguments.h"
#include "core/workspace/thunks/gpu_timeline.h"
#include "core/workspace/thunks/studied_program.h"
#include "core/workspace/thunks/thunk_runs.h"

namespace hilo {

namespace {

void addTimes(const ThunkRuns& runs, ThunkStudy& study) {
  const auto placeOf = [&](uint32_t sequence, uint32_t thunk) -> std::optional<uint32_t> {
    const uint32_t first = study.program->firstOf[sequence];
    return first == StudiedThunk::kNone ? std::nullopt : std::optional(first + thunk);
  };
  for (StudiedThunk& thunk : study.thunks) thunk.measuredNs = -1;
  for (const ThunkTime& time : thunkTimes(*study.program->program, runs.byItself)) {
    if (const auto place = placeOf(time.sequence, time.thunk)) study.thunks[*place].measuredNs = time.totalNs;
  }
  study.timeline.clear();
  for (const ThunkEvent& event : runs.together) {
    if (const auto place = placeOf(event.sequence, event.thunk))
      study.timeline.push_back({*place, event.device, event.thread, event.startNs, event.durationNs});
  }
  study.droppedSpans = runs.dropped;
}

// A module tells what its arguments are for; of a saved program their shapes are all that is known.
Result<std::vector<std::vector<Literal>>> argumentsOf(const StudiedProgram& of, const JobContext& context) {
  std::vector<std::vector<Literal>> lists;
  if (of.module == nullptr) {
    TRY(auto made, makeArguments(of.program->parameters, 0, makingFor(context)));
    lists.push_back(std::move(made));
    return lists;
  }
  TRY(WalkedModule walked, walkedModule({.module = of.module, .engine = of.engine->name}, context));
  return std::move(walked.arguments);
}

}  // namespace

std::shared_ptr<const Program> programOf(const ThunkStudy& study) {
  return study.program == nullptr ? nullptr : study.program->program;
}

Result<ThunkStudy> compileThunks(std::shared_ptr<const Module> module, const JobContext& context) {
  TRY(const Engine* engine, compilingEngine());
  // Without arguments, which may be large: nothing runs.
  TRY(const WalkedModule walked,
      walkedModule(
          {.module = module, .engine = engine->name, .arguments = {.kind = ArgumentSource::Kind::Given}},
          context));
  context.progress(-1, "compiling");
  auto of = std::make_shared<StudiedProgram>();
  of->engine = engine;
  of->codegen = &codegenOf(*engine);
  of->module = walked.module;
  TRY(of->compiled, engine->compiler->expanded(walked.module, context.cancel()));
  const auto tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  TRY(CompiledModule compiled,
      engine->compiler->compile(of->compiled, {.runsPasses = false, .tellSlow = tellSlow}, context.cancel()));
  of->program = std::make_shared<const Program>(std::move(compiled.program));
  std::string title = fmt::format("compiled without passes for {}", of->program->target.processor);
  if (walked.module != module) title += ", elided constants filled with random data";
  return studyOf(std::move(of), std::move(title));
}

Result<ThunkStudy> compileThunksForGpu(std::shared_ptr<const Module> module, const std::string& gpu,
                                       const JobContext& context) {
  TRY(const Engine* engine, compilingEngine());
  TRY(const ProgramTarget target, gpuTarget(gpu));
  context.progress(-1, "compiling");
  const ProgramCompiler compiler = compilerOf(gpuCodegen());
  auto of = std::make_shared<StudiedProgram>();
  of->engine = engine;
  of->codegen = &gpuCodegen();
  of->module = module;
  TRY(of->compiled, compiler.expanded(module, context.cancel()));
  TRY(CompiledModule compiled,
      compiler.compile(of->compiled, {.flags = {"no-cache"}, .runsPasses = false, .target = target},
                       context.cancel()));
  of->program = std::make_shared<const Program>(std::move(compiled.program));
  TRY(const GpuTarget known, findGpuTarget(gpu));
  const DeviceDescription device = deviceLike(known);
  of->estimatedNs = estimatedThunkNs(*of->program, *of->compiled, device);
  TRY(ThunkStudy study,
      studyOf(std::move(of),
              fmt::format("compiled without passes for {}, times estimated for {}", gpu, device.name)));
  markGraphs(study);
  addPlannedTimeline(study);
  return study;
}

Result<ThunkStudy> studyProgram(std::shared_ptr<const Program> program) {
  std::string title = fmt::format("{}, a program saved for {}", program->name, program->target.processor);
  if (const Status fits = checkMachine(program->target); !fits)
    title += fmt::format(" that cannot run here ({})", fits.error().message);
  auto of = std::make_shared<StudiedProgram>();
  of->program = std::move(program);
  return studyOf(std::move(of), std::move(title));
}

Result<ThunkStudy> measureThunks(const ThunkStudy& study, const std::optional<WorkerOptions>& worker,
                                 const JobContext& context) {
  CHECK(study.program != nullptr, study.title);
  const StudiedProgram& of = *study.program;
  TRY_STATUS(checkMachine(of.program->target));
  context.progress(-1, "making arguments");
  TRY(const auto arguments, argumentsOf(of, context));
  const DeviceGrid grid{.replicas = of.program->replicas, .partitions = of.program->partitions};
  TRY(const ThunkRuns runs, runThunks(of.program, grid, arguments, worker, true, context));
  ThunkStudy measured = study;
  measured.title = of.title;
  addTimes(runs, measured);
  return measured;
}

bool hasTimesOf(const ThunkStudy& study, const RunRecord& run) {
  return study.program != nullptr && study.program->program->name == run.moduleName &&
         !run.thunkTimes.empty();
}

Result<ThunkStudy> withTimesOf(const ThunkStudy& study, const RunRecord& run) {
  CHECK(hasTimesOf(study, run), run.moduleName);
  std::vector<const ThunkTime*> inOrder;
  for (const ThunkTime& time : run.thunkTimes) inOrder.push_back(&time);
  std::ranges::sort(inOrder, {}, [](const ThunkTime* t) { return std::pair(t->sequence, t->thunk); });
  // Several thunks of one instruction follow each other in both.
  std::map<std::pair<std::string, std::string>, std::deque<const ThunkTime*>> byNameAndKind;
  for (const ThunkTime* time : inOrder) byNameAndKind[{time->name, time->kind}].push_back(time);
  ThunkStudy timed = study;
  timed.title = fmt::format("{}, times of run {}", study.program->title, run.id.value);
  timed.timeline.clear();
  bool isJoined = false;
  for (StudiedThunk& thunk : timed.thunks) {
    thunk.measuredNs = -1;
    const auto found = byNameAndKind.find({thunk.name, thunk.kind});
    if (found == byNameAndKind.end() || found->second.empty()) continue;
    thunk.measuredNs = found->second.front()->totalNs;
    found->second.pop_front();
    isJoined = true;
  }
  if (!isJoined)
    return fail("other-module",
                fmt::format("run {} of {} timed none of these thunks", run.id.value, run.moduleName));
  return timed;
}

Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module,
                               const std::optional<WorkerOptions>& worker, const JobContext& context) {
  TRY(const ThunkStudy study, compileThunks(std::move(module), context));
  return measureThunks(study, worker, context);
}

}  // namespace hilo
