#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "app/cli/watching.h"
#include "core/base/stopwatch.h"
#include "core/workspace/document/document.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/reduce/save_reduction.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string input, output;
  std::vector<std::string> moves;
  WatchArguments watching;
  size_t enough = 0, jobs = 2;
  double seconds = 0;
  bool listsMoves = false, json = false;
};

void printMoves() {
  Table table({Left, Left});
  for (const MoveInfo& move : listMoves()) table.add({std::string(move.name), std::string(move.summary)});
  fmt::print("{}", table.text());
}

nlohmann::json toJson(const Reduction& reduction) {
  nlohmann::json steps = nlohmann::json::array();
  for (const ReducedStep& step : reduction.steps) {
    steps.push_back(
        {{"move", step.move}, {"sites", step.sites}, {"instructions", step.module->instructionCount()}});
  }
  return {{"instructions_before", reduction.instructionsBefore},
          {"instructions", reduction.module->instructionCount()},
          {"failure", {{"kind", reduction.failure.kind}, {"what", reduction.failure.what}}},
          {"candidates", reduction.candidates},
          {"looks", reduction.looks},
          {"finished", reduction.isFinished},
          {"steps", steps}};
}

// To standard error: the module may go to standard output.
void print(const Reduction& reduction) {
  fmt::print(stderr, "{} to {} in {} and {}{}\n",
             counted(static_cast<int64_t>(reduction.instructionsBefore), "instruction"),
             grouped(static_cast<int64_t>(reduction.module->instructionCount())),
             counted(static_cast<int64_t>(reduction.steps.size()), "step"), counted(reduction.looks, "look"),
             reduction.isFinished ? "" : "; it could go on");
  fmt::print(stderr, "{}{}\n", reduction.failure.kind,
             reduction.failure.what.empty() ? "" : ": " + reduction.failure.what);
}

// Of the document of a reduction, which then goes on.
Result<std::vector<SeriesStep>> stepsBefore(const std::string& path) {
  if (!isDocument(path)) return std::vector<SeriesStep>();
  TRY(const HiloDocument document, readDocument(path));
  for (const DocumentSeries& kept : document.series) {
    const auto& steps = kept.series->steps;
    if (steps.size() > 1 && steps[1].pipeline == "reduce") return steps;
  }
  return std::vector<SeriesStep>();
}

Result<ReduceRequest> requestOf(const Options& options, const CLI::App& command) {
  TRY(const auto file, wholeOf(openFile(options.input)));
  TRY(std::vector<ConfiguredPass> passes, passesOf(options.watching, file->module));
  TRY(SearchInput input, watchedInput(options.watching, command, *file));
  TRY(std::string watch, watcherText(options.watching));
  TRY(auto earlier, stepsBefore(options.input));
  return ReduceRequest{.module = std::move(input.module),
                       .passes = std::move(passes),
                       .arguments = std::move(input.arguments),
                       .moves = options.moves,
                       .enough = options.enough,
                       .timeLimitNs = static_cast<int64_t>(options.seconds * 1e9),
                       .watch = std::move(watch),
                       .engine = options.watching.engine,
                       .earlier = std::move(earlier)};
}

// One a candidate that is looked at beside others.
Result<std::vector<std::unique_ptr<Watcher>>> watchersOf(const Options& options) {
  std::vector<std::unique_ptr<Watcher>> watchers;
  do {
    TRY(auto watcher, watcherOf(options.watching));
    watchers.push_back(std::move(watcher));
  } while (watchers.size() < options.jobs && !watchers[0]->needsQuiet());
  return watchers;
}

int run(Options options, const CLI::App& command) {
  if (options.listsMoves) {
    printMoves();
    return kOk;
  }
  if (options.input.empty() || options.output.empty()) {
    fmt::print(stderr, "hilo reduce: FILE and -o are required\n");
    return kUsage;
  }
  if (const Status kept = takeKept(options.input, options.watching); !kept)
    return reportWatchError(kept.error());
  const auto watchers = watchersOf(options);
  if (!watchers) return reportWatchError(watchers.error());
  auto request = requestOf(options, command);
  if (!request) return reportWatchError(request.error());
  // What there is so far is on disk all along: a reduction that is ended goes on from there.
  Stopwatch sinceSaved;
  request->taken = [&](const Reduction& soFar) -> Status {
    constexpr int64_t kEveryNs = 2'000'000'000;
    if (options.output == "-" || sinceSaved.ns() < kEveryNs) return {};
    sinceSaved = Stopwatch();
    return saveReduction(options.output, *request, soFar);
  };
  std::vector<Watcher*> looking;
  for (const auto& watcher : *watchers) looking.push_back(watcher.get());
  const auto reduction =
      withProgress("reduce", [&](JobContext& job) { return reduce(*request, looking, job); });
  if (!reduction) return reportWatchError(reduction.error());
  Status saved = saveReduction(options.output, *request, *reduction);
  if (saved) {
    saved = withProgress("expected", [&](JobContext& job) {
      return saveExpected(options.output, *request, *reduction, *watchOptionsOf(options.watching), job);
    });
  }
  if (!saved) {
    printError(saved.error());
    return kNo;
  }
  options.json ? printJson(toJson(*reduction)) : print(*reduction);
  return kOk;
}

}  // namespace

void addReduce(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("reduce", "Make a module small that shows a failure");
  command->add_option("FILE", options->input,
                      "A module, or the .hilo of a reduction, which goes on from there");
  command->add_option(
      "-o,--output", options->output,
      "Where to: a .hilo with arguments and every step, or text with its arguments beside it (FILE.npz); "
      "- is standard output");
  addWatchArguments(*command, "--while", options->watching);
  command->add_option("--moves", options->moves, "Moves to try, all if left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MOVE,...");
  command->add_flag("--list-moves", options->listsMoves, "List the moves, and do nothing");
  command->add_option("--enough", options->enough, "Instructions at which to end; 0: as few as can be");
  command->add_option("--seconds", options->seconds, "Seconds after which to end; 0: when no move helps");
  command
      ->add_option("--jobs", options->jobs,
                   "Candidates looked at beside each other; times are always measured alone")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON: every step");
  command->footer("\n" + watcherHelp() + R"(
A smaller module is kept while it fails with the same kind of failure. With --passes or --pipeline it is watched after
these passes, and a LIMIT or differs:ENGINE compares with the module before them.

Exit status: 0 reduced, 1 the input does not fail or cannot be read, 2 wrong usage.

Examples:
  hilo reduce module.hlo --while differs:reference --engine cpu -o small.hilo
  hilo reduce module.hlo --passes=algebraic-simplifier --while differs:reference -o small.hlo
  hilo reduce module.hlo --pipeline cpu --while crash -o small.hlo
  hilo reduce module.hlo --while 'script:./check.sh' --seconds 60 -o small.hilo
  hilo reduce small.hilo -o small.hilo
  hilo reduce small.hilo --while nan -o smaller.hlo --json)");
  command->callback([options, command, &exitCode] { exitCode = run(*options, *command); });
}

}  // namespace hilo::cli
