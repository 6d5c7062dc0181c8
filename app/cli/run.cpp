#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/argument_shapes.h"
#include "app/cli/arguments.h"
#include "app/cli/as_compiled.h"
#include "app/cli/command.h"
#include "app/cli/divergence.h"
#include "app/cli/long_runs.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/array_files.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/fitting_engine.h"
#include "core/workspace/run/run_results.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/store/store.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string file, argumentShapes, engine, output, label, store, result;
  ArgumentOptions arguments;
  WorkerLimits worker;
  CheckOptions checks;
  DumpProgramOptions asCompiled;
  int repeat = 1;
  int64_t devices = 0;
  bool list = false, keep = false, json = false, thunkTimes = false, nanOrigin = false, values = false;
};

int listEnginesNow() {
  Table table({Table::Align::Left, Table::Align::Left});
  for (const EngineInfo& engine : listEngines()) {
    table.add({engine.name, engine.description});
    for (const auto& [flag, description] : engine.flags)
      table.add({fmt::format("  {}:{}", engine.name, flag), description});
  }
  for (const auto& [form, description] : engineFormsApart()) table.add({form, description});
  fmt::print("{}", table.text());
  return kOk;
}

nlohmann::json runJson(const RunRecord& run) {
  nlohmann::json json = {{"module", run.moduleName},
                         {"module_hash", fmt::format("{:016x}", run.moduleHash)},
                         {"engine", run.engine},
                         {"flags", run.flags},
                         {"arguments", run.argumentsDescription},
                         {"devices", run.devices},
                         {"machine", run.machine},
                         {"version", run.version},
                         {"started_at", run.startedAt},
                         {"compile_ns", run.compileNs},
                         {"warm_ups", run.warmUps},
                         {"samples_ns", run.timings.samplesNs},
                         {"median_ns", run.timings.medianNs()},
                         {"p10_ns", run.timings.quantileNs(0.1)},
                         {"p90_ns", run.timings.quantileNs(0.9)},
                         {"results", run.resultNames},
                         {"output_shape", run.output ? toString(run.output->shape()) : ""},
                         {"output_digest", fmt::format("{:016x}", run.outputDigest)},
                         {"notes", run.notes}};
  if (const auto interval = run.timings.medianIntervalNs())
    json["median_interval_ns"] = {interval->low, interval->high};
  json["findings"] = findingsJson(run.findings);
  if (run.mostHeldBytes > 0) {
    json["held_bytes"] = run.mostHeldBytes;
    json["planned_bytes"] = run.plannedBytes;
  }
  for (const ThunkTime& time : run.thunkTimes) {
    json["thunks"].push_back({{"name", time.name},
                              {"kind", time.kind},
                              {"instruction", time.instruction},
                              {"sequence", time.sequence},
                              {"times", time.times},
                              {"total_ns", time.totalNs}});
  }
  return json;
}

void printThunkTimes(const RunRecord& run) {
  Table table({Table::Align::Left, Table::Align::Left, Table::Align::Right, Table::Align::Right});
  table.add({"thunk", "kind", "times", "total"});
  for (const ThunkTime& time : run.thunkTimes)
    table.add({time.name, time.kind, grouped(time.times), durationText(time.totalNs)});
  fmt::print("\n{}", table.text());
}

// Results of a few elements, as HLO writes them; of several devices all of each.
void printSmallResults(const RunRecord& run) {
  constexpr int64_t kMostBytes = 1 << 10;
  std::string text;
  for (size_t i = 0; run.output && i < run.resultNames.size(); ++i) {
    const Literal result = resultOf(*run.output, run.devices, i);
    if (result.shape().byteSize() <= kMostBytes)
      text += fmt::format("{} = {}\n", run.resultNames[i], valueText(result));
  }
  if (!text.empty()) fmt::print("\n{}", text);
}

void printRun(const RunRecord& run) {
  Table table({Table::Align::Left, Table::Align::Left});
  table.add({"module", run.moduleName});
  table.add({"engine", run.engine});
  table.add({"arguments", run.argumentsDescription});
  if (run.devices > 1) table.add({"devices", fmt::format("{}", run.devices)});
  table.add({"time", timesText(run.timings)});
  if (run.output) {
    const Literal& each = run.devices > 1 ? run.output->elements()[0] : *run.output;
    table.add({run.devices > 1 ? "output of each" : "output", shortened(toString(each.shape()))});
  }
  if (run.mostHeldBytes > 0)
    table.add({"memory", fmt::format("{} held at most on a device, {} planned", bytesText(run.mostHeldBytes),
                                     bytesText(run.plannedBytes))});
  table.add({"digest", fmt::format("{:016x}", run.outputDigest)});
  fmt::print("{}", table.text());
  for (const std::string& note : run.notes) fmt::print("note: {}\n", note);
  printSmallResults(run);
}

// --values and --nan-origin
int lookInside(const Options& options, const RunRequest& run) {
  if (run.module == nullptr) {
    fmt::print(stderr, "hilo run: --values and --nan-origin need a module, not a program\n");
    return kUsage;
  }
  const ValueRequest request{.module = run.module,
                             .engine = run.engine,
                             .arguments = run.arguments,
                             .devices = options.devices,
                             .worker = workerOf(options.worker)};
  if (options.values) {
    const auto values =
        withProgress("values", [&](JobContext& job) { return instructionValues(request, job); });
    if (!values) return reportFailure(values.error(), kNo);
    options.json ? printJson(valuesJson(*values)) : printValues(*values);
    return kOk;
  }
  const auto origin =
      withProgress("origin", [&](JobContext& job) { return findNonfiniteOrigin(request, job); });
  if (!origin) return reportFailure(origin.error(), kNo);
  options.json ? printJson(originJson(*origin)) : printOrigin(*origin);
  return kOk;
}

// What XLA made of a module of a dump. As openInto.
int openDumpedInto(RunRequest& request, const Options& options, const CLI::App& command) {
  const auto compiled = openAsCompiled(options.file, options.asCompiled, options.arguments.seed);
  if (!compiled) return reportFailure(compiled.error(), kNo);
  request.program = compiled->program;
  request.source = compiled->source;
  request.compileNotes = compiled->notes;
  const auto source = argumentsOf(options.arguments, command, OpenedFile());
  if (!source) return reportFailure(source.error(), kNo);
  auto arguments = withProgress(
      "arguments", [&](JobContext& job) { return settleArguments(*compiled->module, *source, job); });
  if (!arguments) return reportFailure(arguments.error(), kNo);
  request.arguments = *std::move(arguments);
  return kOk;
}

// What to run and its arguments, into the request. kOk, or the exit status once what is wrong is printed.
int openInto(RunRequest& request, const Options& options, const CLI::App& command) {
  OpenedFile opened;
  if (options.asCompiled.asCompiled) return openDumpedInto(request, options, command);
  auto content = openPath(options.file);
  if (!content) {
    // Said as of a path where a module is needed: of a folder that it is one, and what lists it.
    const auto refused = openFile(options.file);
    printError(refused ? content.error() : refused.error());
    return kNo;
  }
  if (std::holds_alternative<SavedProgramFile>(*content)) {
    auto program = loadSavedProgram(options.file);
    if (!program) return reportFailure(program.error(), kNo);
    request.program = *std::move(program);
  } else {
    const auto file = refinedOf(fileOf(*std::move(content)), options.argumentShapes);
    if (!file) return kNo;
    opened = **file;
    request.module = opened.module;
    request.source = opened.path;
  }
  auto arguments = argumentsOf(options.arguments, command, opened);
  if (!arguments) return reportFailure(arguments.error(), kNo);
  request.arguments = *std::move(arguments);
  return kOk;
}

// Into files and the store, as asked.
Status keep(const Options& options, const RunRecord& run, std::optional<size_t> result) {
  if (!options.output.empty())
    TRY_STATUS(
        writeArrays(options.output, result ? resultOf(*run.output, run.devices, *result) : *run.output));
  if (!options.keep && options.store.empty()) return {};
  TRY(const auto store, RunStore::open(options.store));
  TRY(const RunId id, store->add(run));
  fmt::print(stderr, "kept as run {} in {}\n", id.value, store->path());
  return {};
}

void print(const Options& options, const RunRecord& run, std::optional<size_t> result) {
  const std::string value = result ? valueText(resultOf(*run.output, run.devices, *result)) : "";
  if (options.json) {
    nlohmann::json json = runJson(run);
    if (result) json["result"] = value;
    printJson(json);
  } else if (result && options.output.empty()) {
    fmt::print("{}\n", value);
  } else {
    printRun(run);
    if (options.checks.checks) printFindings(run.findings);
    if (!options.thunkTimes) return;
    run.thunkTimes.empty() ? fmt::print("\nnote: the engine {} runs no thunks\n", run.engine)
                           : printThunkTimes(run);
  }
}

// Where none is named. Gives what there is to say of it.
std::string settleEngine(RunRequest& request, const Options& options) {
  if (!request.engine.empty()) return {};
  // What looks at single values does so with the evaluator, on operands that are right.
  if (options.nanOrigin || options.values) {
    request.engine = RunRequest().engine;
    return {};
  }
  const FittingEngine fitting =
      request.module == nullptr ? FittingEngine{defaultEngine(), {}} : fittingEngine(*request.module);
  request.engine = fitting.name;
  return fitting.note();
}

int run(const Options& options, const CLI::App& command) {
  if (options.list) return listEnginesNow();
  if (options.file.empty()) {
    fmt::print(stderr, "hilo run: FILE is required\n");
    return kUsage;
  }
  RunRequest request{.engine = options.engine,
                     .repeat = options.repeat,
                     .label = options.label,
                     .devices = options.devices,
                     .worker = workerOf(options.worker),
                     .timesThunks = options.thunkTimes,
                     .checks = checksOf(options.checks, command)};
  if (const int status = openInto(request, options, command); status != kOk) return status;
  const std::string said = settleEngine(request, options);
  if (options.nanOrigin || options.values) return lookInside(options, request);
  std::optional<size_t> result;
  if (!options.result.empty()) {
    const auto called = resultCalled(request, options.result);
    if (!called) return reportFailure(called.error(), kNo);
    result = *called;
  }
  noteLongRuns({&request, 1});
  auto done = withProgress("run", [&](JobContext& job) { return execute(request, job); });
  if (!done) return reportFailure(done.error(), kNo);
  if (!said.empty()) done->notes.push_back(said);
  if (const Status kept = keep(options, *done, result); !kept) return reportFailure(kept.error(), kNo);
  print(options, *done, result);
  return hasErrors(done->findings) ? kNo : kOk;
}

}  // namespace

void addRun(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Execute a module and time it");
  command->add_option(
      "FILE", options->file,
      "HLO text or protobuf, gzip or not, or a program of `hilo compile --save`; - reads standard "
      "input");
  command->add_option("--engine", options->engine, "What executes it, with flags after a colon: cpu:quick")
      ->default_str("cpu, or reference where cpu cannot run it");
  addArgumentOptions(*command, options->arguments);
  addArgumentShapes(*command, options->argumentShapes);
  addWorkerOptions(*command, options->worker);
  addFfiOptions(*command);
  addCheckOptions(*command, options->checks);
  addAsCompiled(*command, options->asCompiled);
  command->add_option("--repeat", options->repeat, "How often, after one run that is not timed when above 1")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--devices", options->devices, "How many devices run it side by side")
      ->check(CLI::Range(1, 1024))
      ->default_str("as many as the module asks for");
  command->add_option("--out", options->output, "Write the output to a .npz (or, of one array, .npy) file");
  CLI::Option* result = command->add_option(
      "--result", options->result,
      "Of several results the one of this name or number: print its values alone, or write it "
      "alone to --out");
  command->add_flag("--keep", options->keep, "Keep the run in the store of runs that the studio shows");
  command->add_option("--store", options->store, "Keep it in this store instead");
  command->add_option("--label", options->label, "A word to find the kept run by");
  command->add_flag("--thunk-times", options->thunkTimes, "Run once more and print what each thunk took");
  command
      ->add_flag("--values", options->values,
                 "Print how the values of each instruction spread, and what is not finite")
      ->excludes(result);
  command
      ->add_flag(
          "--nan-origin", options->nanOrigin,
          "Name the first instruction, inside of fusions and loops too, that makes a NaN or an infinity of "
          "finite operands")
      ->excludes(result);
  command->add_flag("--list-engines", options->list, "List the engines with their flags, and run nothing");
  command->add_flag("--json", options->json, "Print JSON, all samples included");
  command->footer(R"(
Without --args a snapshot runs on its own arguments, and any other module on arguments made up from the seed, valid
where they serve as indices or shift counts. Constants whose values the text leaves out ({...}) are filled from the
seed as well, and each is noted.

Without --engine a module runs on cpu, and where cpu cannot run it, on the evaluator (reference), with a note of what
keeps it from cpu. --values and --nan-origin use the evaluator.

Exit status: 0 it ran, 1 it failed, the input is wrong or --check found something, 2 wrong usage, 3 the engine cannot
run it, with the reasons.

With --as-compiled FILE is a dump of XLA:GPU, and cuda-sim runs the kernels that XLA wrote, in the buffers that it
assigned. Calls of libraries are done by the engine cpu and noted as substituted.

A module of several replicas or partitions runs on as many devices, with the same arguments on each, those of
--args A,B,..., or a snapshot's own. The output is then one a device: members out0.0, out0.1, ... of a .npz file are
those of device 0.

What cpu, cuda and cuda-sim compiled runs in a worker process: a crash, a run over --time-limit or out of memory ends that
process and is reported. A saved program runs without the compiler.

Examples:
  hilo run module.hlo --seed 7 --repeat 20
  hilo run module.hlo --engine cpu --repeat 20 --thunk-times --time-limit 10
  hilo run partitioned.hlo --devices 4 --args d0.npz,d1.npz,d2.npz,d3.npz
  hilo run module.hlo --args inputs.npz --out outputs.npz
  hilo run module.hlo --seed 7 --arg weights=w.npy --arg 2=ids.npy
  hilo run module.hlo --args inputs.npz --result loss
  hilo run module.hlo --engine cuda-sim --check --order-seed 3
  hilo run DUMP --module jit_step --as-compiled --engine cuda-sim --check
  hilo run crash.hlo.snapshot.pb --json)");
  command->callback([options, command, &exitCode] { exitCode = run(*options, *command); });
}

}  // namespace hilo::cli
