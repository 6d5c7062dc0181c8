#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/opt_against.h"
#include "app/cli/pass_lists.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/base/files.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/passes/pass_file.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string input, output = "-", to, pipeline, described, xlaFlags, target, xlaDate, against, module;
  std::vector<std::string> passes, settings, disabled, fuel;
  std::pair<std::string, std::string> dumpAfter;  // "all" or a pass, and the folder
  bool list = false, times = false, remarks = false, showSettings = false, noVerify = false, json = false;
};

// A name as part of a file name: XLA writes '-' as it is and keeps letters, digits, '.' and '_'.
std::string fileNamePart(std::string_view name) {
  std::string part(name);
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  std::ranges::replace_if(part, std::not_fn(plain), '_');
  return part;
}

// The files of a dump as XLA names them, so that Hilo opens the folder as one.
Status dumpSteps(const PassSeries& series, const std::string& which, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail("not-writable", fmt::format("{}: {}", folder, error.message()));
  const auto write = [&](const SeriesStep& step, const std::string& stage) -> Status {
    TRY(const auto module, step.module());
    TRY(const std::string text, convertModule(*module, ConvertOptions{.kind = OutputKind::Text}));
    return writeOutput(fmt::format("{}/module_0000.{}.{}.txt", folder, fileNamePart(module->name()), stage),
                       text);
  };
  TRY_STATUS(write(series.steps.front(), "before_optimizations"));
  for (size_t n = 1; n < series.steps.size(); ++n) {
    const SeriesStep& step = series.steps[n];
    if (which != "all" && which != step.name) continue;
    const std::string pipeline = step.pipeline.empty() ? "passes" : step.pipeline;
    const std::string next = n + 1 < series.steps.size() ? series.steps[n + 1].name : "pipeline-end";
    TRY_STATUS(write(step, fmt::format("{:04}.{}.after_{}.before_{}", n, pipeline, step.name, next)));
  }
  return write(series.steps.back(), "after_optimizations");
}

// To standard error: the result may go to standard output.
void printTimes(const PassSeries& series) {
  Table table({Right, Left, Left});
  int64_t total = 0;
  for (size_t n = 1; n < series.steps.size(); ++n) {
    const SeriesStep& step = series.steps[n];
    total += std::max<int64_t>(0, step.durationNs);
    table.add({durationText(std::max<int64_t>(0, step.durationNs)), step.name,
               step.isAbsent()  ? "not there"
               : step.skipped() ? "skipped"
               : step.changed() ? "changed"
                                : ""});
  }
  table.add({durationText(total), "total", ""});
  fmt::print(stderr, "{}", table.text());
}

void printRemarks(const PassSeries& series) {
  for (const SeriesStep& step : series.steps) {
    for (const Remark& remark : step.remarks) {
      fmt::print(stderr, "{}: %{}: {}: {}\n", step.name, remark.name, remark.kind, remark.message);
    }
  }
}

// All of them, those that are not the default marked.
void printSettings(const PassSeries& series) {
  for (const SeriesStep& step : series.steps) {
    for (const EffectiveSetting& setting : step.settings) {
      fmt::print(stderr, "{}: {}={}{}\n", step.name, setting.name, setting.value,
                 setting.isDefault ? "" : " (set)");
    }
  }
}

// A pass whose rewrites cannot be counted makes them all.
void warnOfFuel(const PassSeries& series, const std::vector<std::string>& fuel) {
  for (const SeriesStep& step : series.steps) {
    const auto isOfStep = [&](const std::string& item) { return item.starts_with(step.name + "="); };
    if (step.asksNoFuel && std::ranges::any_of(fuel, isOfStep))
      fmt::print(stderr, "hilo opt: warning: {} does not count its rewrites and made them all\n", step.name);
  }
}

bool isWrongUse(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"unknown-pass", "unknown-pipeline", "unknown-setting",
                                         "bad-setting",  "bad-pass-list",    "pass-not-run",
                                         "bad-fuel",     "pass-not-there",   "not-gpu",
                                         "bad-date",     "bad-flag",         "unknown-device"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

// As given, or of @FILE what the file holds.
Result<std::string> flagsOf(const std::string& given) {
  return given.starts_with('@') ? readBytes(given.substr(1)) : Result<std::string>(given);
}

// What was asked for besides the module, to standard error.
void tell(const PassSeries& series, const Options& options) {
  for (const std::string& note : series.notes) fmt::print(stderr, "hilo opt: note: {}\n", note);
  warnOfFuel(series, options.fuel);
  if (options.times) printTimes(series);
  if (options.showSettings) printSettings(series);
  if (options.remarks) printRemarks(series);
}

int runOver(const Options& options, OptimizeRequest request) {
  const auto kind = outputKindFor(options.to, options.output);
  if (!kind) {
    printError(kind.error());
    return kUsage;
  }
  const auto file = openWhole(options.input);
  if (!file) return kNo;
  request.module = (*file)->module;
  const auto series = optimize(request, JobContext());
  if (!series) {
    printError(placedIn(**file, series.error()));
    return isWrongUse(series.error().kind) ? kUsage : kNo;
  }
  tell(*series, options);
  const auto finish = [&]() -> Status {
    const auto& [which, folder] = options.dumpAfter;
    if (!folder.empty()) TRY_STATUS(dumpSteps(*series, which, folder));
    TRY(const auto result, series->steps.back().module());
    return writeResult(options.output, *result, *kind);
  };
  const Status finished = finish();
  if (!finished) printError(finished.error());
  return finished ? kOk : kNo;
}

int runAgainst(const Options& options, OptimizeRequest request) {
  const auto both = besideDump(options.against, options.module, std::move(request));
  if (!both) {
    printError(both.error());
    return isWrongUse(both.error().kind) || both.error().kind == "no-such-module" ? kUsage : kNo;
  }
  const PassSeries ours = oursOf(*both);
  tell(ours, options);
  const auto& [which, folder] = options.dumpAfter;
  if (const Status written = folder.empty() ? Status() : dumpSteps(ours, which, folder); !written) {
    printError(written.error());
    return kNo;
  }
  return printAgainst(*both, options.json);
}

// "@FILE" stands for what is in it.
Result<std::vector<std::string>> passesOf(const Options& options) {
  std::vector<std::string> passes;
  for (const std::string& pass : options.passes) {
    if (!pass.starts_with('@')) {
      passes.push_back(pass);
      continue;
    }
    TRY(const auto saved, readPassFile(pass.substr(1)));
    passes.insert(passes.end(), saved.begin(), saved.end());
  }
  return passes;
}

int run(const Options& options) {
  if (options.list) return listPassesAndPipelines(options.json);
  if (!options.described.empty()) return describePass(options.described, options.json);
  if (options.input.empty() == options.against.empty()) {
    fmt::print(stderr, "hilo opt: IN is required, or --against DUMP\n");
    return kUsage;
  }
  if (options.passes.empty() == options.pipeline.empty()) {
    fmt::print(stderr, "hilo opt: one of --passes and --pipeline is required\n");
    return kUsage;
  }
  const auto flags = flagsOf(options.xlaFlags);
  if (!flags) {
    printError(flags.error());
    return kUsage;
  }
  auto passes = passesOf(options);
  if (!passes) {
    printError(passes.error());
    return kNo;
  }
  OptimizeRequest request{.passes = *std::move(passes),
                          .pipeline = options.pipeline,
                          .xlaFlags = *flags,
                          .target = options.target,
                          .xlaDate = options.xlaDate,
                          .settings = options.settings,
                          .disabled = options.disabled,
                          .fuel = options.fuel,
                          .verify = !options.noVerify};
  return options.against.empty() ? runOver(options, std::move(request))
                                 : runAgainst(options, std::move(request));
}

}  // namespace

void addOpt(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("opt", "Run passes over a module");
  command->add_option("IN", options->input, "HLO text or protobuf, gzip or not; - reads standard input");
  command->add_option("-o,--output", options->output, "Where to; - is standard output")
      ->capture_default_str();
  command->add_option("--to", options->to,
                      "What to write, as in hilo convert; told by the ending of -o if left out");
  CLI::Option* passes =
      command
          ->add_option(
              "--passes", options->passes,
              "Passes to run, in this order, with commas between; NAME{SETTING=VALUE,...} sets what a "
              "pass takes, @FILE stands for those in a file, one a line")
          ->type_name("PASS,...")
          ->allow_extra_args(false);
  command->add_option("--pipeline", options->pipeline, "A named list of passes to run")->excludes(passes);
  command
      ->add_option("--against", options->against,
                   "In the place of IN: run over the first stage of a dump, and say after each pass how the "
                   "result differs from XLA's stage")
      ->type_name("DUMP");
  command
      ->add_option("--module", options->module, "Of --against: which module of the dump, by name or number")
      ->type_name("NAME");
  command
      ->add_option("--xla-flags", options->xlaFlags,
                   "Of the pipeline gpu: what XLA_FLAGS held, or @FILE, such as a dump's debug options")
      ->type_name("FLAGS");
  command
      ->add_option(
          "--target", options->target,
          "Of the pipeline gpu: a built-in device or a file, such as a dump's gpu_target_config.pbtxt; of "
          "the pipeline cuda an architecture, sm_80")
      ->type_name("NAME|FILE");
  command
      ->add_option(
          "--xla-date", options->xlaDate,
          "Of the pipeline gpu: the month of the XLA to follow, from 2024-01 on; left out: the newest known")
      ->type_name("YYYY-MM");
  command
      ->add_option("--set", options->settings,
                   "Settings of passes of the pipeline, each time they run: NAME{SETTING=VALUE,...}")
      ->type_name("PASS{...}")
      ->allow_extra_args(false);
  command->add_option("--disable", options->disabled, "Passes of the pipeline to leave out")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--fuel", options->fuel,
                   "Rewrites that all runs of a pass may make together; it stops then")
      ->type_name("PASS=N,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--dump-after", options->dumpAfter,
                   "Write the module after each pass (all) or one pass into DIR")
      ->type_name("all|PASS DIR");
  command->add_flag("--list-passes", options->list, "List passes and pipelines, and run nothing");
  command
      ->add_option("--describe", options->described,
                   "Print a pass and its settings: defaults, what is allowed, what they are; run nothing")
      ->type_name("PASS");
  command->add_flag("--settings", options->showSettings,
                    "Say on standard error which settings each pass ran with");
  command->add_flag("--time-passes", options->times, "Say on standard error how long each pass took");
  command->add_flag("--remarks", options->remarks,
                    "Say on standard error what passes did to which instruction");
  command->add_flag("--no-verify", options->noVerify,
                    "Do not check the module after each pass that changed it");
  command->add_flag("--json", options->json, "With --list-passes, --describe and --against: print JSON");
  command->footer(R"(
With --against the device and the flags are those of the dump where its files say them; passes are matched by name, and
instructions by what they compute. Exit status 1 where a stage differs.

Exit status: 0 written, 1 the input cannot be read or a pass failed, 2 wrong usage, an unknown pass or setting.

Examples:
  hilo opt --list-passes
  hilo opt --describe while-loop-unroller
  hilo opt --passes='while-loop-unroller{trip_count_threshold=16},dce' module.hlo
  hilo opt --passes=cse,dce module.hlo -o smaller.hlo
  hilo opt --pipeline=gpu --target=a100 --xla-flags="--xla_gpu_enable_triton_gemm=false" module.hlo
  hilo opt --pipeline=gpu --against xla_dump/ --module jit_step
  hilo opt --pipeline=cpu --fuel=algebraic-simplifier=12 module.hlo
  hilo opt --pipeline=simplify --time-passes --dump-after=all steps/ module.hlo -o - | hilo verify -)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
