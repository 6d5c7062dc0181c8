#include <fmt/format.h>

#include <filesystem>

#include "app/cli/argument_shapes.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/thunk_report.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/thunks/thunk_profile.h"
#include "core/workspace/thunks/write_thunks.h"
#include "core/workspace/thunks/xla_thunks.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string path, against, kernel, select, write;
  ThunkStudyOptions study;
  bool noRun = false, json = false, dot = false, graph = false, profile = false;
};

int printProfile(const Studied& of) {
  const auto text = of.module == nullptr
                        ? Result<std::string>(
                              fail("no-thunk-times", "a profile names instructions, and there is no module"))
                        : profileText(of.study, *of.module);
  if (!text) return reportFailure(text.error(), kNo);
  fmt::print("{}", *text);
  return kOk;
}

void printOne(const Studied& of, const Options& options) {
  for (const Diagnostic& note : of.study.notes) printError(note);
  if (options.dot) {
    fmt::print("{}", toDot(of.study));
  } else if (options.graph) {
    fmt::print("{}", toExecutorText(of.study));
  } else {
    printThunks(of);
  }
}

// Nullopt: reported. What XLA wrote goes from file to file, whatever of it is known.
std::optional<Result<WrittenThunks>> writtenForm(const Options& options) {
  auto content = contentAt(options.path);
  if (!content) return std::unexpected(content.error());
  if (dumpIn(*content) != nullptr)
    return fail("is-a-directory",
                fmt::format("{} is a dump: name the file in it that has the thunks", options.path));
  const auto* item = std::get_if<OpenedItem>(&*content);
  const bool isExecutable =
      item != nullptr && hasThunkSequence(*std::get<std::shared_ptr<const OpenedFile>>(*item));
  if (isExecutable || std::holds_alternative<ThunksFile>(*content))
    return writtenThunksOfFile(options.path, options.write);
  auto studied = studyOne(options.study, *std::move(content));
  if (!studied) return std::nullopt;
  if (!*studied) return std::unexpected(studied->error());
  return writtenThunks((*studied)->study, options.write);
}

int write(const Options& options) {
  const auto form = writtenForm(options);
  if (!form) return kNo;
  if (!*form) return reportFailure(form->error(), kNo);
  for (const std::string& note : (*form)->notes) fmt::print(stderr, "note: {}\n", note);
  const Status written = writeOutput(options.write, (*form)->bytes);
  return written ? kOk : reportFailure(written.error(), kNo);
}

int run(const Options& options) {
  if (!options.write.empty()) return write(options);
  const auto found = studiesOf(options.study, options.path);
  if (!found) return kNo;
  if (!*found)
    return reportFailure(found->error(), std::filesystem::is_directory(options.path) ? kNo : kNotRunnable);
  const std::vector<Studied>& studies = **found;
  if (!options.against.empty()) {
    const auto others = studiesOf(options.study, options.against);
    if (!others) return kNo;
    if (!*others) return reportFailure(others->error(), kNo);
    if (studies.size() != 1 || (*others)->size() != 1) {
      const auto several = studies.size() != 1 ? options.path : options.against;
      printError(
          fail("several-modules", fmt::format("{} holds several modules: name the file of one", several))
              .error());
      return kUsage;
    }
    return printThunkDiff((**others)[0], studies[0], options.json);
  }
  int exitCode = kOk;
  nlohmann::json all = nlohmann::json::array();
  for (const Studied& of : studies) {
    if (options.profile) return printProfile(of);
    if (!of.study.races.empty()) exitCode = kNo;
    if (!options.kernel.empty()) {
      exitCode = std::max(exitCode, printThunkKernel(of, options.kernel));
    } else if (!options.select.empty()) {
      exitCode = std::max(exitCode, printThunk(of, options.select));
    } else if (options.json) {
      all.push_back(thunksJson(of));
    } else {
      printOne(of, options);
    }
  }
  if (options.json && options.kernel.empty() && options.select.empty())
    printJson(all.size() == 1 ? all[0] : all);
  return exitCode;
}

}  // namespace

void addThunks(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("thunks", "Show what a compiled module runs: bytes, dependencies, times, kernels");
  command
      ->add_option(
          "FILE", options->path,
          "HLO text or protobuf, gzip or not, which is compiled and measured; a program that hilo compile "
          "--save wrote, which is measured; or what XLA wrote, which is read: an executable, a thunk "
          "sequence, "
          "a dump directory with either")
      ->required();
  addArgumentShapes(*command, options->study.argumentShapes);
  addWorkerOptions(*command, options->study.worker);
  addFfiOptions(*command);
  command->add_option(
      "--target", options->study.target,
      "Compile for an NVIDIA GPU instead, sm_90a, measuring nothing: with the thunks that are one graph, "
      "and PTX, machine code and occupancy of --kernel");
  command->add_option("--kernel", options->kernel,
                      "Print this thunk's kernel instead, each line behind the instruction it came of");
  command->add_option(
      "--select", options->select,
      "Print all there is of this thunk instead: its bytes, what it waits for, what waits for it");
  CLI::Option* against = command->add_option(
      "--against", options->against,
      "Say what differs from the thunks of this file, which count as those before: every field");
  command
      ->add_option(
          "--write", options->write,
          "Write them to this file instead, as XLA's ThunkSequenceProto: text where the name ends in "
          ".textproto, .pbtxt or .txtpb, binary else; those of a module or a program in XLA:CPU's form")
      ->excludes(against);
  CLI::Option* dot = command->add_flag("--dot", options->dot, "Print the graph of thunks in DOT's language");
  command
      ->add_flag("--graph", options->graph,
                 "Print what waits for what as XLA:CPU logs its executors, a line a thunk")
      ->excludes(dot);
  CLI::Option* profile =
      command->add_flag("--profile", options->profile,
                        "Print the measured times, NAME,MICROSECONDS, as cost and schedule take them by "
                        "--profile");
  command->add_flag("--no-run", options->noRun, "Do not measure: thunks have the compiler's estimates alone")
      ->excludes(profile);
  command->add_flag("--json", options->json, "Print JSON, with dependencies, fields and the timeline");
  command->footer(R"(
Exit status: 0 no data races, 1 two thunks have a data race or the input is wrong (with --against: something
differs), 2 wrong usage, 3 it cannot be compiled or run here, with the reasons.

Examples:
  hilo thunks module.hlo
  hilo thunks module.hlo --kernel fusion.3
  hilo thunks module.hlo --target sm_90a
  hilo thunks module.hlo --target sm_90a --kernel fusion.3
  hilo thunks module.program --no-run
  hilo thunks executable.pb --against older.pb
  hilo thunks executable.pb --write thunks.textproto
  hilo thunks executable.pb --dot | dot -Tsvg -o thunks.svg
  hilo thunks xla_dump/ --json | jq '.thunks[] | select(.uses == [])')");
  command->callback([options, &exitCode] {
    options->study.isMeasured = !options->noRun && options->write.empty();
    exitCode = run(*options);
  });
}

}  // namespace hilo::cli
