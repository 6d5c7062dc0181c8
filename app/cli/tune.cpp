#include "core/workspace/tune/tune.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/argument_shapes.h"
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/tune_gpu.h"
#include "app/cli/written_module.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/store/store.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string file, argumentShapes, output, store, only;
  std::string target, engine = "cuda-sim", importFrom, exportTo;
  size_t tilings = 8;
  WorkerLimits worker;
  uint64_t seed = 0;
  int repeat = 20;
  bool noPasses = false, again = false, json = false;
};

// The first of them; --json has the rest.
std::string namesOf(const TunedInstruction& tuned) {
  const size_t others = tuned.instructions.size() - 1;
  return tuned.instructions[0] + (others == 0 ? "" : fmt::format(" and {} more", others));
}

std::string ratioText(const std::optional<Ratio>& ratio) {
  return ratio ? fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio->median, ratio->low, ratio->high) : "";
}

// An instruction a line, and below it what was tried.
void print(const TuneReport& report) {
  Table table({Left, Left, Left, Right, Right, Left});
  table.add({"instruction", "", "variant", "median", "to default", ""});
  for (const TunedInstruction& tuned : report.tuned) {
    table.add({namesOf(tuned), tuned.opcode, tuned.backend + ": " + tuned.best,
               tuned.bestNs == 0 ? "" : durationText(tuned.bestNs),
               tuned.bestNs == 0 ? ""
                                 : fmt::format("{:.2f}", static_cast<double>(tuned.bestNs) /
                                                             static_cast<double>(tuned.defaultNs)),
               tuned.reused ? "found before" : ""});
    for (const TriedConfig& tried : tuned.tried) {
      table.add({"", "", "  " + tried.config, tried.timings.n() == 0 ? "" : medianText(tried.timings),
                 ratioText(tried.ratio), tried.remark});
    }
  }
  fmt::print("{}", table.text());
  for (const std::string& untried : report.untried) fmt::print("not tried: {}\n", untried);
}

nlohmann::json toJson(const TuneReport& report) {
  nlohmann::json all = nlohmann::json::array();
  for (const TunedInstruction& tuned : report.tuned) {
    nlohmann::json tries = nlohmann::json::array();
    for (const TriedConfig& tried : tuned.tried) {
      tries.push_back(
          {{"config", tried.config}, {"samples_ns", tried.timings.samplesNs}, {"remark", tried.remark}});
      if (tried.ratio) tries.back()["ratio"] = {tried.ratio->median, tried.ratio->low, tried.ratio->high};
    }
    all.push_back({{"backend", tuned.backend},
                   {"instructions", tuned.instructions},
                   {"opcode", tuned.opcode},
                   {"tried", tries},
                   {"best", tuned.best},
                   {"default_ns", tuned.defaultNs},
                   {"best_ns", tuned.bestNs},
                   {"reused", tuned.reused}});
  }
  return {{"module", report.module->name()}, {"tuned", all}, {"untried", report.untried}};
}

Status writeTuned(const std::string& path, const Module& module) {
  TRY(const OutputKind kind, outputKindFromPath(path));
  return writeResult(path, module, kind);
}

int runForGpu(const Options& options, const std::shared_ptr<const Module>& module) {
  return tuneGpu(module, {.target = options.target,
                          .engine = options.engine,
                          .importFrom = options.importFrom,
                          .exportTo = options.exportTo,
                          .only = options.only,
                          .store = options.store,
                          .output = options.output,
                          .seed = options.seed,
                          .repeat = options.repeat,
                          .tilings = options.tilings,
                          .noPasses = options.noPasses,
                          .again = options.again,
                          .json = options.json,
                          .worker = workerOf(options.worker)});
}

int run(const Options& options) {
  const auto file = openRefined(options.file, options.argumentShapes);
  if (!file) return kNo;
  if (!options.target.empty()) return runForGpu(options, (*file)->module);
  const auto store = RunStore::open(options.store);
  if (!store) return reportFailure(store.error(), kNo);
  const auto report = tune({.module = (*file)->module,
                            .runsPasses = !options.noPasses,
                            .only = options.only,
                            .seed = options.seed,
                            .repeat = options.repeat,
                            .store = store->get(),
                            .triesAgain = options.again,
                            .worker = workerOf(options.worker)},
                           JobContext());
  if (!report)
    return reportFailure(report.error(), report.error().kind == "not-compiled" ? kNotRunnable : kNo);
  options.json ? printJson(toJson(*report)) : print(*report);
  if (options.output.empty()) return kOk;
  const Status written = writeTuned(options.output, *report->module);
  return written ? kOk : reportFailure(written.error(), kNo);
}

}  // namespace

void addTune(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("tune", "Try the variants of compiling each instruction and keep the fastest");
  command->add_option("FILE", options->file, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  addArgumentShapes(*command, options->argumentShapes);
  addWorkerOptions(*command, options->worker);
  addFfiOptions(*command);
  command->add_option("-o,--output", options->output,
                      "Write the module as it was tuned, with the best variants in it");
  command->add_flag("--no-passes", options->noPasses, "Tune the module as it is, without the pipeline");
  command->add_option("--only", options->only, "Tune this instruction alone, or the fusion that holds it");
  command->add_option("--repeat", options->repeat, "How often each variant runs")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "What arguments are made up from")->capture_default_str();
  command->add_option("--store", options->store, "Where what is found is kept (default: the store of runs)");
  command->add_flag("--again", options->again, "Ignore the cache: try everything again");
  command->add_flag("--json", options->json, "Print JSON, all samples included");
  CLI::Option* target =
      command->add_option("--target", options->target,
                          "Tune kernels for this GPU (h100, a file) instead of this machine's processor");
  command
      ->add_option("--engine", options->engine,
                   "What runs them: the simulated GPU, or the one of this machine")
      ->check(CLI::IsMember({"cuda-sim", "cuda"}))
      ->capture_default_str()
      ->needs(target);
  command
      ->add_option("--tilings", options->tilings,
                   "Tile programs to try of each fusion, the quickest by estimate")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->needs(target);
  command
      ->add_option("--import", options->importFrom,
                   "XLA's autotune results, text or binary: shown beside what is found")
      ->needs(target);
  command
      ->add_option("--export", options->exportTo,
                   "Write what is chosen as XLA's autotune results; other entries stay")
      ->needs(target);
  command->footer(R"(
Each instruction that has a kernel or a library call of its own runs by itself, in each variant of compiling it, on the
same arguments, interleaved. A variant is taken where it matches the default's values, or differs by rounding, and is
faster with 95% confidence (from six samples on). One that fails or times out is listed with the reason. Instructions that are the same but for their names are tried once; what was found is kept by machine,
instruction and compiler, and found again.

With --target the kernels are PTX: the library's, tiles of tensor cores, tiles without, one element a thread, rows,
columns, transposes, as far as the instruction and the architecture have them. They are held to the reference evaluator,
on the simulated GPU with each access checked; of answers that differ those are right that the evaluator and the plain
kernels give. Without a GPU times are estimates, and marked so. Of kernels within 2 us of the quickest that with the least
scratch memory is chosen. What fails is listed with its reason, and kept.

The module is compiled as the engine does it, and written (-o) as it then is: run it with --engine cpu:no-passes.

Exit status: 0 tuned, 1 the input is wrong, 2 wrong usage, 3 it cannot be compiled, with the reasons.

Examples:
  hilo tune module.hlo -o tuned.hlo
  hilo run tuned.hlo --engine cpu:no-passes --repeat 20
  hilo tune module.hlo --target h100 --import results.pbtxt --export tuned.pbtxt
  hilo tune module.hlo --json | jq '.tuned[] | select(.best != "default")')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
