#include "core/workspace/reduce/save_reduction.h"

#include <fmt/format.h>

#include "core/hlo/eval/npy.h"
#include "core/workspace/document/document.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/store/store.h"
#include "core/workspace/watch/watched_module.h"

namespace hilo {
namespace {

Result<std::string> textOf(const Reduction& reduction) {
  return convertModule(*reduction.module, ConvertOptions{.kind = OutputKind::Text, .largeConstants = true});
}

std::string passesText(const ReduceRequest& request) {
  std::vector<std::string> names;
  for (const ConfiguredPass& pass : request.passes) names.push_back(passText(pass));
  return fmt::format("{}", fmt::join(names, ","));
}

// What a bisection or a reduction that goes on reads.
ViewState watchedState(const ReduceRequest& request) {
  ViewState state{{"bisect.over", passesText(request)}, {"bisect.arguments", "snapshot"}};
  if (!request.watch.empty()) state.emplace("bisect.watch", request.watch);
  if (!request.engine.empty()) state.emplace("bisect.engine", request.engine);
  return state;
}

Status saveAsDocument(const std::string& path, const ReduceRequest& request, const Reduction& reduction) {
  TRY(std::string text, textOf(reduction));
  TRY(const auto file, openBytes(std::move(text), path));
  HiloDocument document;
  document.items.push_back(
      {.title = std::string(reduction.module->name()), .opened = file, .arguments = {reduction.arguments}});
  document.viewState = watchedState(request);
  document.series.push_back({.series = std::make_shared<const PassSeries>(seriesOf(request, reduction))});
  const auto saved = saveDocument(path, document);
  return saved ? Status() : std::unexpected(saved.error());
}

Status saveAsText(const std::string& path, const Reduction& reduction) {
  TRY(const std::string text, textOf(reduction));
  TRY_STATUS(writeOutput(path, text));
  if (path == "-" || reduction.arguments.empty()) return {};
  std::vector<NamedLiteral> members;
  for (size_t i = 0; i < reduction.arguments.size(); ++i)
    members.push_back({fmt::format("arg{}", i), reduction.arguments[i]});
  const Status saved = saveNpz(path + ".npz", members);
  if (saved || saved.error().kind != "unsupported-type") return saved;
  return fail("unsupported-type", fmt::format("{}: its arguments hold tuples", path), {},
              {"a .hilo holds them, as in -o small.hilo"});
}

Status keepRun(RunStore& store, Result<RunRecord> run, const std::string& label) {
  if (!run) return run.error().kind == "cancelled" ? std::unexpected(run.error()) : Status();
  run->label = label;
  TRY_STATUS(store.add(*run));
  return {};
}

}  // namespace

Status saveExpected(const std::string& path, const ReduceRequest& request, const Reduction& reduction,
                    const WatchOptions& options, const JobContext& context) {
  if (!path.ends_with(".hilo")) return {};
  const std::string passes = passesText(request);
  if (reduction.arguments.empty()) return {};
  TRY(const auto store, RunStore::open(path));
  const WatchedCase watched{
      .module = reduction.module, .passes = request.passes, .arguments = reduction.arguments};
  TRY_STATUS(
      keepRun(*store, runOnEngine(reduction.module, "reference", watched, options, context), "expected"));
  TRY(const auto watcher, makeWatcher(request.watch, options));
  if (request.passes.empty() || watcher->runsPassesApart()) return {};
  TRY(const PassedModule passed, passedModule(watched, context));
  if (!passed.isSound()) return {};
  return keepRun(*store, runOnEngine(passed.module, options.engine, watched, options, context),
                 "after " + passes);
}

Status saveReduction(const std::string& path, const ReduceRequest& request, const Reduction& reduction) {
  return path.ends_with(".hilo") ? saveAsDocument(path, request, reduction) : saveAsText(path, reduction);
}

}  // namespace hilo
