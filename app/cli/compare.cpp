#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/arguments.h"
#include "app/cli/as_compiled.h"
#include "app/cli/command.h"
#include "app/cli/divergence.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/partition/partitioned_run.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/condition.h"
#include "core/workspace/run/expected_values.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/run/time_limit.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string file;
  std::vector<std::string> engines, modules;
  std::string engine = "reference", expected;
  ArgumentOptions arguments;
  WorkerLimits worker;
  CheckOptions checks;
  DumpProgramOptions asCompiled;
  Tolerance tolerance;
  int repeat = 1;
  int64_t devices = 0;
  int draws = 0;  // of arguments that are moved, to measure the condition
  bool json = false, firstDivergence = false, partition = false;
};

// One side: what runs and how it is called in the report.
struct Side {
  std::string name;
  std::shared_ptr<const OpenedFile> file;  // one of the two
  std::shared_ptr<const Program> program;  // a saved one
  std::string engine;
  std::vector<std::string> notes = {};
  bool checks = false;  // its engine does
};

// A line a module: "jit_f: 0 before_optimizations, 1 after_dce".
std::vector<std::string> stagesOf(const OpenedDump& dump) {
  std::vector<std::string> lines;
  for (const DumpModuleInfo& module : dump.modules) {
    std::vector<std::string> stages;
    for (size_t s = 0; s < module.stages.size(); ++s)
      stages.push_back(fmt::format("{} {}", s, module.stages[s].name));
    lines.push_back(fmt::format("{}: {}", module.name, fmt::join(stages, ", ")));
  }
  return lines;
}

// A stage of a dump's first module that has one of this name, by its whole name or number, else by a
// part of it.
Result<std::shared_ptr<const OpenedFile>> openStage(const OpenedDump& dump, const std::string& name) {
  for (const bool whole : {true, false}) {
    for (size_t m = 0; m < dump.modules.size(); ++m) {
      const auto& stages = dump.modules[m].stages;
      for (size_t s = 0; s < stages.size(); ++s) {
        // "2" counts the stages, "0002" is the number in the file's name.
        const bool named = stages[s].name == name || stages[s].pass == name || fmt::format("{}", s) == name ||
                           (stages[s].order >= 0 && fmt::format("{:04}", stages[s].order) == name);
        if (whole ? named : stages[s].name.find(name) != std::string::npos) return loadStage(dump, m, s);
      }
    }
  }
  return fail(
      "no-such-stage",
      fmt::format("no stage '{}' in {}: a name, a part of one or a number is expected", name, dump.path), {},
      stagesOf(dump));
}

Result<Side> openSide(const Options& options, const std::string& name) {
  Side side{.name = name, .engine = options.engine};
  if (!options.file.empty()) {
    TRY(const auto dump, openDump(options.file));
    TRY(side.file, openStage(*dump, name));
    return side;
  }
  TRY(PathContent content, openPath(name));
  if (std::holds_alternative<SavedProgramFile>(content)) {
    TRY(side.program, loadSavedProgram(name));
  } else {
    TRY(side.file, fileOf(std::move(content)));
  }
  return side;
}

Result<std::vector<Side>> sidesOf(const Options& options) {
  std::vector<Side> sides;
  if (options.asCompiled.asCompiled) {
    TRY(const CompiledByXla compiled,
        openAsCompiled(options.file, options.asCompiled, options.arguments.seed));
    OpenedFile file{.path = compiled.source, .module = compiled.module};
    const auto opened = std::make_shared<const OpenedFile>(std::move(file));
    for (const std::string& engine : options.engines) {
      const bool runsIt = runsDumpedKernels(engine);
      sides.push_back({engine, opened, runsIt ? compiled.program : nullptr, engine,
                       runsIt ? compiled.notes : std::vector<std::string>()});
    }
    if (std::ranges::none_of(sides, [](const Side& side) { return side.program != nullptr; }))
      return fail("unsupported-engine", "neither engine runs kernels of a dump", {}, {"cuda-sim does"});
    return sides;
  }
  if (!options.engines.empty()) {
    TRY(const auto file, openFile(options.file));
    for (const std::string& engine : options.engines) sides.push_back({engine, file, nullptr, engine});
    return sides;
  }
  for (const std::string& name : options.modules) {
    TRY(Side side, openSide(options, name));
    sides.push_back(std::move(side));
  }
  return sides;
}

nlohmann::json conditionJson(const Condition& condition) {
  const auto number = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nullptr; };
  nlohmann::json leaves = nlohmann::json::array();
  for (const LeafCondition& leaf : condition.leaves) {
    leaves.push_back({{"max_off", number(leaf.mostOff)},
                      {"rms_off", number(leaf.rmsOff)},
                      {"max_moved", number(leaf.mostMoved)},
                      {"rms_moved", number(leaf.rmsMoved)},
                      {"times", number(leaf.times())}});
  }
  return {{"draws", condition.draws},
          {"times", number(condition.times)},
          {"most_times", Condition::kMostTimes},
          {"is_rounding", condition.isRounding()},
          {"leaves", leaves}};
}

// What is off is held against what moving the arguments does.
void printCondition(const Condition& condition, const RunComparison& comparison) {
  Table table({Left, Left, Right, Right, Right, Right, Right});
  table.add({"output", "name", "max error", "rms error", "max moved", "rms moved", "error / moved"});
  for (size_t i = 0; i < condition.leaves.size(); ++i) {
    const LeafCondition& leaf = condition.leaves[i];
    if (comparison.leaves[i].mismatches == 0) continue;
    const std::string& path = comparison.leaves[i].path;
    table.add({path.empty() ? "{}" : path, comparison.leaves[i].name, fmt::format("{:.3g}", leaf.mostOff),
               fmt::format("{:.3g}", leaf.rmsOff), fmt::format("{:.3g}", leaf.mostMoved),
               fmt::format("{:.3g}", leaf.rmsMoved), fmt::format("{:.3g}", leaf.times())});
  }
  fmt::print("\n{}", table.text());
  fmt::print("{}\n", conditionText(condition));
}

nlohmann::json comparisonJson(const RunComparison& c, const Condition* condition,
                              const std::vector<Side>& sides) {
  nlohmann::json leaves = nlohmann::json::array();
  for (const LeafComparison& leaf : c.leaves) {
    leaves.push_back(
        {{"path", leaf.path},
         {"name", leaf.name},
         {"shape", leaf.shape},
         {"elements", leaf.elements},
         {"mismatches", leaf.mismatches},
         {"beyond_rounding", leaf.beyondRounding},
         {"expected_rounding", {{"relative", leaf.rounding.relative}, {"terms", leaf.rounding.terms}}},
         {"max_abs", leaf.maxAbsError},
         {"max_rel", leaf.maxRelError},
         {"max_ulp", leaf.maxUlpError},
         {"first_mismatch", leaf.firstMismatch},
         {"nan", {leaf.nanA, leaf.nanB}},
         {"inf", {leaf.infA, leaf.infB}},
         {"ulp_histogram", leaf.ulpHistogram}});
  }
  nlohmann::json json = {{"a", sides[0].name},
                         {"b", sides[1].name},
                         {"verdict", verdictName(c.verdict)},
                         {"bitwise_equal", c.bitwiseEqual},
                         {"nan_alone", c.hasNaNsAlone},
                         {"comparable", c.comparable},
                         {"not_comparable", c.notComparable},
                         {"median_ns", {c.a.timings.medianNs(), c.b.timings.medianNs()}},
                         {"median_ratio", c.medianRatio},
                         {"notes", {c.a.notes, c.b.notes}},
                         {"findings", {findingsJson(c.a.findings), findingsJson(c.b.findings)}},
                         {"samples_ns", {c.a.timings.samplesNs, c.b.timings.samplesNs}},
                         {"leaves", leaves}};
  if (condition != nullptr) json["condition"] = conditionJson(*condition);
  if (c.pairedRatio)
    json["paired_ratio"] = {
        {"median", c.pairedRatio->median}, {"low", c.pairedRatio->low}, {"high", c.pairedRatio->high}};
  return json;
}

std::string verdictText(const RunComparison& c) {
  if (c.hasNaNsAlone)
    return "match, and says nothing: every element is NaN on both sides (other arguments: --args, --seed; "
           "where it begins: hilo run --nan-origin)";
  if (c.bitwiseEqual) return "match, bit for bit";
  int64_t terms = 1;
  for (const LeafComparison& leaf : c.leaves) {
    if (leaf.mismatches > 0) terms = std::max(terms, leaf.rounding.terms);
  }
  const bool sums = c.verdict == Verdict::DiffersByRounding && terms > 1;
  return fmt::format("{}{}", verdictName(c.verdict),
                     sums ? fmt::format(": up to {} terms are added up on the way", grouped(terms)) : "");
}

void printComparison(const RunComparison& c, const std::vector<Side>& sides) {
  Table times({Left, Left, Right, Right, Right, Right});
  times.add({"", "engine", "median", "p10", "p90", "n"});
  for (const auto& [run, side] : {std::pair(&c.a, &sides[0]), std::pair(&c.b, &sides[1])}) {
    const Timings& t = run->timings;
    if (t.n() == 0) {
      times.add({side->name, run->engine, "-", "", "", ""});
      continue;
    }
    if (t.n() == 1) {
      times.add({side->name, run->engine, durationText(t.medianNs()) + ", one cold run", "", "", ""});
      continue;
    }
    times.add({side->name, run->engine, medianText(t), durationText(t.quantileNs(0.1)),
               durationText(t.quantileNs(0.9)), fmt::format("{}", t.n())});
  }
  fmt::print("{}", times.text());
  if (c.pairedRatio) {
    fmt::print("interleaved: {} / {} = {:.3f} (95% CI {:.3f} to {:.3f})\n", sides[1].name, sides[0].name,
               c.pairedRatio->median, c.pairedRatio->low, c.pairedRatio->high);
  }
  if (!c.comparable) {
    fmt::print("\nthe outputs cannot be compared: {}\n", c.notComparable);
    return;
  }
  Table leaves({Left, Left, Left, Right, Right, Right, Right, Right, Right, Right, Left});
  leaves.add({"output", "name", "shape", "mismatches", "beyond rounding", "max abs", "max rel", "max ulp",
              "nan", "inf", "first mismatch"});
  for (const LeafComparison& leaf : c.leaves) {
    leaves.add({leaf.path.empty() ? "{}" : leaf.path, leaf.name, leaf.shape, grouped(leaf.mismatches),
                grouped(leaf.beyondRounding), fmt::format("{:.3g}", leaf.maxAbsError),
                fmt::format("{:.3g}", leaf.maxRelError), fmt::format("{:.3g}", leaf.maxUlpError),
                fmt::format("{}/{}", leaf.nanA, leaf.nanB), fmt::format("{}/{}", leaf.infA, leaf.infB),
                leaf.firstMismatch});
  }
  fmt::print("\n{}\n{}\n", leaves.text(), verdictText(c));
  for (const RunRecord* run : {&c.a, &c.b}) {
    for (const std::string& note : run->notes) fmt::print("note: {}: {}\n", run->engine, note);
  }
}

int compareSides(const Options& options, const CLI::App& command, const std::vector<Side>& sides) {
  for (const Side& side : sides) {
    if (side.file == nullptr) continue;
    for (const Diagnostic& diagnostic : side.file->diagnostics) printError(diagnostic);
    if (hasErrors(side.file->diagnostics)) return kUsage;
    if (const Status sound = requireVerified(*side.file->module); !sound) {
      printError(placedIn(*side.file, sound.error()));
      return kNotRunnable;
    }
  }
  // Both sides get the arguments of the first.
  const Side& first = sides[0];
  const OpenedFile none;
  const auto source = argumentsOf(options.arguments, command, first.file != nullptr ? *first.file : none);
  if (!source) return reportFailure(source.error(), kUsage);
  const auto worker = workerOf(options.worker);
  const auto arguments = withProgress("arguments", [&](JobContext& job) -> Result<ArgumentSource> {
    const TimeLimit limit(worker ? worker->timeLimitNs : 0, job.cancel());
    const JobContext within(limit.token());
    auto made = first.program != nullptr ? settleArguments(*first.program, *source, within)
                                         : settleArguments(*first.file->module, *source, within);
    if (!made) return std::unexpected(limit.explained(std::move(made).error(), "making arguments"));
    return made;
  });
  if (!arguments) return reportFailure(arguments.error(), kUsage);
  std::vector<RunRequest> requests;
  for (const Side& side : sides) {
    requests.push_back({.module = side.file != nullptr ? side.file->module : nullptr,
                        .program = side.program,
                        .compileNotes = side.notes,
                        .source = side.file != nullptr ? side.file->path : "",
                        .engine = side.engine,
                        .arguments = *arguments,
                        .repeat = options.repeat,
                        .devices = options.devices,
                        .worker = worker,
                        .checks = side.checks ? checksOf(options.checks, command) : DeviceChecks()});
  }
  auto runs = withProgress("compare", [&](JobContext& job) { return executeInTurns(requests, job); });
  if (!runs) {
    for (const Side& side : sides) {
      if (side.file != nullptr && !whyNotRunnable(*side.file->module, side.engine).empty())
        fmt::print(stderr, "{}:\n", side.name);
    }
    if (runs.error().kind == "wrong-argument" && options.engines.empty())
      runs.error().notes.push_back(fmt::format("both sides get the arguments of {}", first.name));
    return reportFailure(runs.error(), kUsage);
  }
  const RunComparison comparison =
      compareRuns(std::move((*runs)[0]), std::move((*runs)[1]), options.tolerance, /*inTurns=*/true);
  std::optional<Condition> condition;
  if (options.draws > 0 && comparison.comparable && comparison.verdict != Verdict::Match) {
    auto measured = withProgress("condition", [&](JobContext& job) {
      return measureCondition(requests[0], comparison, options.draws, job);
    });
    if (!measured) return reportFailure(measured.error(), kUsage);
    condition = *std::move(measured);
  }
  if (options.json) {
    printJson(comparisonJson(comparison, condition ? &*condition : nullptr, sides));
  } else {
    printComparison(comparison, sides);
    for (const RunRecord* run : {&comparison.a, &comparison.b}) {
      if (options.checks.checks && engineChecks(run->engine)) printFindings(run->findings);
    }
    if (condition) printCondition(*condition, comparison);
  }
  const bool isRounding =
      condition ? condition->isRounding() : comparison.verdict == Verdict::DiffersByRounding;
  const bool isSound = comparison.a.findings.empty() && comparison.b.findings.empty();
  return isSound && (comparison.verdict == Verdict::Match || isRounding) ? kOk : kNo;
}

// One run against values that are given.
int compareExpected(const Options& options, const CLI::App& command) {
  const auto expected = ExpectedValues::read(options.expected);
  const auto file = expected ? openFile(options.file) : std::unexpected(expected.error());
  if (!file) return reportFailure(file.error(), kUsage);
  if (const Status sound = requireVerified(*(*file)->module); !sound)
    return reportFailure(placedIn(**file, sound.error()), kNotRunnable);
  const auto source = argumentsOf(options.arguments, command, **file);
  if (!source) return reportFailure(source.error(), kUsage);
  const RunRequest request{.module = (*file)->module,
                           .source = (*file)->path,
                           .engine = options.engine,
                           .arguments = *source,
                           .repeat = options.repeat,
                           .devices = options.devices,
                           .worker = workerOf(options.worker)};
  auto run = withProgress("compare", [&](JobContext& job) { return execute(request, job); });
  if (!run) return reportFailure(run.error(), kUsage);
  auto value = expected->valueFor(run->output->shape());
  if (!value) return reportFailure(value.error(), kUsage);
  RunRecord given{.engine = "given values", .resultNames = run->resultNames, .output = *std::move(value)};
  given.rounding = run->rounding;
  const RunComparison comparison = compareRuns(std::move(given), *std::move(run), options.tolerance);
  const std::vector<Side> sides = {{.name = "expected"}, {.name = options.file, .engine = options.engine}};
  options.json ? printJson(comparisonJson(comparison, nullptr, sides)) : printComparison(comparison, sides);
  return comparison.verdict == Verdict::Differs ? kNo : kOk;
}

// A module whole on one device against the same partitioned on all of its.
int comparePartitioned(const Options& options, const CLI::App& command) {
  const auto file = openFile(options.file);
  if (!file) {
    printError(file.error());
    return kUsage;
  }
  for (const Diagnostic& diagnostic : (*file)->diagnostics) printError(diagnostic);
  if (hasErrors((*file)->diagnostics)) return kUsage;
  const auto source = argumentsOf(options.arguments, command, **file);
  if (!source) return reportFailure(source.error(), kUsage);
  const PartitionedRunRequest request{
      .partition = {.module = (*file)->module, .path = (*file)->path, .devices = options.devices},
      .engine = options.engine,
      .arguments = *source,
      .repeat = options.repeat,
      .worker = workerOf(options.worker)};
  auto runs = withProgress("compare", [&](JobContext& job) { return runPartitioned(request, job); });
  if (!runs) return reportFailure(placedIn(**file, runs.error()), kUsage);
  const RunComparison comparison =
      compareRuns(std::move(runs->whole), std::move(runs->partitioned), options.tolerance, /*inTurns=*/true);
  const std::vector<Side> sides = {{.name = "whole"}, {.name = "partitioned"}};
  options.json ? printJson(comparisonJson(comparison, nullptr, sides)) : printComparison(comparison, sides);
  return comparison.verdict == Verdict::Differs ? kNo : kOk;
}

int findDivergence(const Options& options, const CLI::App& command, const Side& side) {
  const auto source = argumentsOf(options.arguments, command, *side.file);
  if (!source) return reportFailure(source.error(), kUsage);
  const DivergenceRequest request{.truth = {.module = side.file->module,
                                            .engine = options.engines[0],
                                            .arguments = *source,
                                            .devices = options.devices,
                                            .worker = workerOf(options.worker)},
                                  .engine = options.engines[1],
                                  .tolerance = options.tolerance};
  const auto divergence =
      withProgress("first divergence", [&](JobContext& job) { return findFirstDivergence(request, job); });
  if (!divergence) return reportFailure(divergence.error(), kUsage);
  options.json ? printJson(divergenceJson(*divergence)) : printDivergence(*divergence, request);
  return divergence->found ? kNo : kOk;
}

int run(const Options& options, const CLI::App& command) {
  const auto wrong = [](const char* why) {
    fmt::print(stderr, "hilo compare: {}\n", why);
    return kUsage;
  };
  if (!options.expected.empty()) {
    if (options.file.empty()) return wrong("FILE is required with --expect");
    return compareExpected(options, command);
  }
  if (options.partition) {
    if (options.file.empty()) return wrong("FILE is required with --partition");
    return comparePartitioned(options, command);
  }
  if (options.engines.empty() == options.modules.empty())
    return wrong("one of --engines, --modules, --expect and --partition is required");
  if ((options.engines.empty() ? options.modules : options.engines).size() != 2)
    return wrong("two are compared, as in A,B");
  if (!options.engines.empty() && options.file.empty()) return wrong("FILE is required with --engines");
  auto sides = sidesOf(options);
  if (!sides) return reportFailure(sides.error(), kUsage);
  for (Side& side : *sides) side.checks = engineChecks(side.engine);
  if (checksOf(options.checks, command) != DeviceChecks() &&
      std::ranges::none_of(*sides, [](const Side& side) { return side.checks; }))
    return wrong("neither engine checks accesses: cuda-sim does");
  if (!options.firstDivergence) return compareSides(options, command, *sides);
  for (const Diagnostic& diagnostic : (*sides)[0].file->diagnostics) printError(diagnostic);
  if (hasErrors((*sides)[0].file->diagnostics)) return kUsage;
  return findDivergence(options, command, (*sides)[0]);
}

}  // namespace

void addCompare(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("compare", "Execute two engines or two modules and compare what comes out");
  command->add_option("FILE", options->file,
                      "The module; with --modules, a dump directory whose stages X and Y name");
  CLI::Option* engines = command
                             ->add_option("--engines", options->engines,
                                          "Two engines, with flags or without: reference,cpu:quick")
                             ->delimiter(',')
                             ->allow_extra_args(false);
  command
      ->add_option("--modules", options->modules,
                   "Two files (modules or programs of hilo compile --save), or stages of the dump FILE: X,Y")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(engines);
  command
      ->add_option("--expect", options->expected,
                   "Values the module is compared with: FILE.npy, FILE.npz with out0, out1, ..., or as in "
                   "'{1, 2.5}; 3'")
      ->type_name("VALUES")
      ->excludes(engines);
  command
      ->add_flag(
          "--partition", options->partition,
          "FILE whole on one device against the same partitioned on all of its, or on --devices: arguments "
          "are cut by their shardings, results joined")
      ->excludes(engines)
      ->excludes("--modules")
      ->excludes("--expect");
  command->add_option("--engine", options->engine, "What executes both modules, or the one of --expect")
      ->capture_default_str()
      ->excludes(engines);
  addArgumentOptions(*command, options->arguments);
  addWorkerOptions(*command, options->worker);
  addFfiOptions(*command);
  addCheckOptions(*command, options->checks);
  addAsCompiled(*command, options->asCompiled);
  command->add_option("--abs", options->tolerance.absolute, "Absolute error allowed")
      ->default_str("by element type and numbers of terms");
  command->add_option("--rel", options->tolerance.relative, "Relative error allowed")
      ->default_str("by element type and numbers of terms");
  command->add_option("--repeat", options->repeat, "How often each is run, in turns after a warm-up")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--devices", options->devices, "How many devices run each side by side")
      ->check(CLI::Range(1, 1024))
      ->default_str("as many as the module asks for");
  command
      ->add_flag("--first-divergence", options->firstDivergence,
                 "Name the first instruction, inside of fusions and loops too, at which the second engine "
                 "diverges from the first, whose values count as true")
      ->needs(engines);
  command
      ->add_option("--condition", options->draws,
                   "Where they differ, compare the error with how far the first one's results move when its "
                   "arguments are perturbed by a unit in the last place; so many samples")
      ->check(CLI::Range(1, 1000))
      ->default_str("not measured");
  command->add_flag("--json", options->json, "Print JSON, histograms included");
  command->footer(R"(
Both sides run on the same arguments: those of --args, of a snapshot, or made up from the seed for the first module.

The verdict is "match", "differ by rounding" (beyond the tolerance of the element type, and within what the sums along
the way explain) or "differ".

With --as-compiled FILE is a dump of XLA:GPU: cuda-sim runs the kernels that XLA wrote, other engines the optimized
module.

Exit status: 0 the outputs match or differ by rounding, 1 they differ or --check found something, 2 wrong usage, unreadable input or a failed run,
3 one side cannot be run, with the reasons.

Examples:
  hilo compare --modules before.hlo,after.hlo
  hilo compare --modules module.hlo,module.program --engine cpu --repeat 30
  hilo compare --modules before_optimizations,after_optimizations xla_dump/
  hilo compare --engines reference,cpu module.hlo --rel 1e-5 --json
  hilo compare --engines reference,cpu module.hlo --condition 3
  hilo compare --engines reference,cpu module.hlo --first-divergence --memory-limit 6
  hilo compare --engines reference,cuda-sim module.hlo --check
  hilo compare --engines reference,cuda-sim DUMP --module jit_step --as-compiled --check
  hilo compare module.hlo --args input.npz --expect '{0.5, 1.25, -3}' --engine cpu
  hilo compare --engines cpu,cpu:no-passes module.hlo --repeat 30
  hilo compare --partition module.hlo
  hilo compare --partition --devices 4 --engine cpu module.hlo)");
  command->callback([options, command, &exitCode] { exitCode = run(*options, *command); });
}

}  // namespace hilo::cli
