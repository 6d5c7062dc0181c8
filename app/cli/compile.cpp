#include <fmt/format.h>

#include <ranges>

#include "app/cli/argument_shapes.h"
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/thunks/compile_report.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string file, argumentShapes, processor, save, target, targetOut;
  bool json = false, dot = false, kernels = false, steps = false, assemble = false;
};

// On the way to the program: each pass, then what lowering made.
int printSteps(std::shared_ptr<const Module> module) {
  const auto series =
      optimize({.module = std::move(module), .pipeline = defaultEngine(), .lowers = true}, JobContext());
  if (!series) return reportFailure(series.error(), kNotRunnable);
  Table table({Left, Left, Left, Right});
  for (const SeriesStep& step : series->steps | std::views::drop(1)) {
    const std::string came = step.isLowering() ? step.made : step.changed() ? "changed" : "";
    table.add({step.pipeline, step.name, came, step.skipped() ? "" : durationText(step.durationNs)});
  }
  fmt::print("{}", table.text());
  const SeriesStep& last = series->steps.back();
  if (!last.skipped()) return kOk;
  for (const Remark& why : last.remarks) fmt::print(stderr, "{}\n", why.message);
  return kNotRunnable;
}

int run(const Options& options) {
  const auto file = openRefined(options.file, options.argumentShapes);
  if (!file) return kNo;
  if (options.steps) return printSteps((*file)->module);
  const auto report = compileAndReport({.module = (*file)->module,
                                        .processor = options.processor,
                                        .targetPath = options.target,
                                        .targetOut = options.targetOut,
                                        .savePath = options.save,
                                        .listsKernels = options.kernels,
                                        .makesDot = options.dot,
                                        .assembles = options.assemble});
  if (!report)
    return reportFailure(report.error(), report.error().kind == "not-writable" ? kNo : kNotRunnable);
  for (const std::string& note : report->notes) fmt::print(stderr, "note: {}\n", note);
  fmt::print("{}", options.json       ? report->json + "\n"
                   : options.dot      ? report->dot
                   : options.kernels  ? report->kernels
                   : options.assemble ? report->assembled
                                      : report->text);
  fmt::print(stderr, "{} kernels, {} distinct, {} from the cache, {}\n", report->kernelCount,
             report->distinctKernels, report->kernelsFromCache, durationText(report->compileNs));
  return kOk;
}

}  // namespace

void addCompile(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "Compile a module for a processor and show its program");
  command->add_option("FILE", options->file, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  addArgumentShapes(*command, options->argumentShapes);
  addFfiOptions(*command);
  CLI::Option* processor = command->add_option("--cpu", options->processor,
                                               "The processor, as LLVM names it (default: this machine's)");
  CLI::Option* target =
      command
          ->add_option(
              "--target", options->target,
              "The processor as a file says it: XLA's TargetMachineOptionsProto, text or binary, or an "
              "executable of XLA:CPU, which holds one; or an NVIDIA GPU's architecture, sm_90a, whose "
              "kernels are "
              "printed as PTX")
          ->excludes(processor);
  CLI::Option* targetOut = command->add_option("--write-target", options->targetOut,
                                               "Write the processor to this file, for --target: text where "
                                               "the name ends in .textproto, .pbtxt or .txtpb");
  CLI::Option* save = command->add_option("--save", options->save, "Write the program to this file");
  auto* forms = command->add_option_group("form");
  forms->add_flag("--json", options->json, "Print JSON");
  forms->add_flag("--dot", options->dot, "Print the graph of thunks in DOT's language");
  forms->add_flag("--kernels", options->kernels,
                  "Print each kernel: LLVM IR before and after optimising, assembly");
  forms
      ->add_flag("--assemble", options->assemble,
                 "Assemble the PTX of each kernel by ptxas and print the registers and memory it uses")
      ->needs(target);
  forms
      ->add_flag("--steps", options->steps,
                 "Print what came of each pass and of lowering, and how long it took")
      ->excludes(processor)
      ->excludes(target)
      ->excludes(targetOut)
      ->excludes(save);
  forms->require_option(0, 1);
  command->footer(R"(
Exit status: 0 it compiled, 1 the input is wrong or the output cannot be written, 2 wrong usage, 3 it cannot be compiled, with the reasons.

Examples:
  hilo compile module.hlo
  hilo compile module.hlo --steps
  hilo compile module.hlo --cpu skylake-avx512 --save module.program
  hilo compile module.hlo --target executable.pb --save module.program
  hilo compile module.hlo --target sm_90a
  hilo compile module.hlo --target sm_90a --assemble
  hilo compile module.hlo --dot | dot -Tsvg -o thunks.svg)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
