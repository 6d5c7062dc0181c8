#include "app/cli/watching.h"

#include <fmt/format.h>

#include <charconv>

#include "app/cli/command.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/document/document.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/watch/pass_process.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

// "2/5"
Status parseFlaky(const std::string& text, WatchOptions& options) {
  const char* end = text.data() + text.size();
  const auto bad = std::from_chars(text.data(), end, options.leastBad);
  if (bad.ec == std::errc() && bad.ptr != end && *bad.ptr == '/') {
    const auto looks = std::from_chars(bad.ptr + 1, end, options.looks);
    if (looks.ec == std::errc() && looks.ptr == end) return {};
  }
  return fail("bad-watcher", fmt::format("--flaky {}: N/M is expected, bad in N of M looks", text));
}

}  // namespace

void addWatchArguments(CLI::App& command, const std::string& name, WatchArguments& watching) {
  command.add_option(name, watching.watcher, "What is watched (below); differs:reference if left out")
      ->type_name("WATCHER");
  command.add_option("--against", watching.against, "Short for differs:ENGINE")->type_name("ENGINE");
  command.add_option("--expect", watching.expected, "Short for expected:VALUES")->type_name("VALUES");
  command.add_option("--engine", watching.engine, "What runs the module that passes made")
      ->capture_default_str();
  CLI::Option* passes =
      command.add_option("--passes", watching.passes, "Passes to run, in this order, as hilo opt takes them")
          ->type_name("PASS,...")
          ->allow_extra_args(false);
  command.add_option("--pipeline", watching.pipeline, "A named list of passes to run")->excludes(passes);
  command
      .add_option("--set", watching.settings, "Settings of passes of the pipeline: NAME{SETTING=VALUE,...}")
      ->type_name("PASS{...}")
      ->allow_extra_args(false);
  command.add_option("--disable", watching.disabled, "Passes of the pipeline to leave out")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--flaky", watching.flaky, "N/M: bad is what is bad in N of M looks")
      ->capture_default_str();
  command.add_option("--samples", watching.samples, "Runs that a time is the median of")
      ->capture_default_str();
  command.add_option("--atol", watching.tolerance.absolute,
                     "How far results may be off; by element type if left out");
  command.add_option("--rtol", watching.tolerance.relative, "The same, relative");
  addArgumentOptions(command, watching.arguments);
  addWorkerOptions(command, watching.worker);
}

std::string watcherHelp() {
  Table table({Left, Left});
  for (const WatcherInfo& info : listWatchers()) {
    table.add(
        {info.argument.empty() ? std::string(info.name) : fmt::format("{}:{}", info.name, info.argument),
         std::string(info.summary)});
  }
  return "What can be watched:\n" + table.text(2);
}

Status takeKept(const std::string& path, WatchArguments& watching) {
  const bool isTold = !watching.passes.empty() || !watching.pipeline.empty() || !watching.watcher.empty() ||
                      !watching.against.empty() || !watching.expected.empty();
  if (isTold || !isDocument(path)) return {};
  TRY(const HiloDocument document, readDocument(path));
  const auto take = [&](const char* key, std::string& into) {
    if (const auto kept = document.viewState.find(key); kept != document.viewState.end()) into = kept->second;
  };
  std::string over;
  take("bisect.watch", watching.watcher);
  take("bisect.engine", watching.engine);
  take("bisect.over", over);
  // Others than lists of passes are what a view searched over.
  if (!over.empty() && over != "stages" && !over.starts_with("pipeline ")) watching.passes = {over};
  if (over.starts_with("pipeline ")) watching.pipeline = over.substr(over.find(' ') + 1);
  return {};
}

Result<std::string> watcherText(const WatchArguments& watching) {
  std::vector<std::string> all;
  if (!watching.watcher.empty()) all.push_back(watching.watcher);
  if (!watching.against.empty()) all.push_back("differs:" + watching.against);
  if (!watching.expected.empty()) all.push_back("expected:" + watching.expected);
  if (all.size() > 1) return fail("bad-watcher", "one thing is watched, not several");
  return all.empty() ? std::string("differs:reference") : all[0];
}

Result<WatchOptions> watchOptionsOf(const WatchArguments& watching) {
  WatchOptions options{.engine = watching.engine,
                       .worker = workerOf(watching.worker),
                       .passWorker = ownPassWorker(),
                       .tolerance = watching.tolerance,
                       .samples = watching.samples};
  TRY_STATUS(parseFlaky(watching.flaky, options));
  return options;
}

Result<std::unique_ptr<Watcher>> watcherOf(const WatchArguments& watching) {
  TRY(const std::string text, watcherText(watching));
  TRY(const WatchOptions options, watchOptionsOf(watching));
  return makeWatcher(text, options);
}

Result<std::vector<ConfiguredPass>> passesOf(const WatchArguments& watching,
                                             std::shared_ptr<const Module> module) {
  if (watching.pipeline.empty() && watching.passes.empty()) return std::vector<ConfiguredPass>();
  return passesToRun({.module = std::move(module),
                      .passes = watching.passes,
                      .pipeline = watching.pipeline,
                      .settings = watching.settings,
                      .disabled = watching.disabled});
}

Result<SearchInput> watchedInput(const WatchArguments& watching, const CLI::App& command,
                                 const OpenedFile& file) {
  TRY(const ArgumentSource source, argumentsOf(watching.arguments, command, file));
  auto input = withProgress("arguments", [&](JobContext& job) {
    return settleInput(file.module, source, workerOf(watching.worker), job);
  });
  if (!input && input.error().kind != "several-arguments")
    return std::unexpected(placedIn(file, input.error()));
  return input;
}

int reportWatchError(const Diagnostic& why) {
  printError(why);
  static constexpr std::string_view kWrongUse[] = {"unknown-move",     "unknown-watcher", "bad-watcher",
                                                   "bad-expected",     "unknown-engine",  "unknown-pass",
                                                   "unknown-pipeline", "unknown-setting", "bad-setting",
                                                   "bad-pass-list",    "pass-not-run",    "same-pipelines"};
  return std::ranges::find(kWrongUse, why.kind) != std::end(kWrongUse) ? kUsage : kNo;
}

}  // namespace hilo::cli
