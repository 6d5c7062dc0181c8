#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/argument_shapes.h"
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/printed_thunks.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, argumentShapes, kernel;
  WorkerLimits worker;
  bool noRun = false, json = false;
};

// A study and what its instructions are of.
struct Studied {
  ThunkStudy study;
  std::shared_ptr<const Module> module;    // null of a saved program
  std::shared_ptr<const OpenedDump> dump;  // null unless XLA wrote the thunks
  size_t moduleIndex = 0;
};

std::string namesOf(const Studied& of, const StudiedThunk& thunk) {
  std::vector<std::string_view> names;
  for (const InstructionId id : thunk.instructions) names.push_back(of.module->instruction(id)->name());
  return fmt::format("{}", fmt::join(names, " "));
}

// A fusion of many operands would make the table as wide as all of them: --json has the rest.
std::string usesText(const StudiedThunk& thunk, bool writes) {
  constexpr size_t kShown = 3;
  std::vector<std::string> places;
  for (const ThunkUse& use : thunk.uses) {
    if (use.writes == writes) places.push_back(use.place);
  }
  const size_t shown = std::min(kShown, places.size());
  std::string text =
      fmt::format("{}", fmt::join(places.begin(), places.begin() + static_cast<long>(shown), "; "));
  if (places.size() > shown) text += fmt::format("; {} more", places.size() - shown);
  return text;
}

std::string timeText(int64_t ns) { return ns < 0 ? "" : durationText(ns); }

void print(const Studied& of) {
  const ThunkStudy& study = of.study;
  fmt::print("{}{}\n", of.module == nullptr ? "" : fmt::format("{}: ", of.module->name()), study.title);
  Table table({Left, Left, Left, Right, Right, Left, Left});
  table.add({"thunk", "kind", "instruction", "median", "guess", "reads", "writes"});
  std::vector<size_t> depth(study.thunks.size());
  for (size_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    if (thunk.parent != StudiedThunk::kNone) depth[i] = depth[thunk.parent] + 1;
    const std::string part = thunk.part.empty() ? "" : thunk.part + ": ";
    table.add({std::string(2 * depth[i], ' ') + part + thunk.name, thunk.kind, namesOf(of, thunk),
               timeText(thunk.measuredNs), timeText(thunk.guessNs), usesText(thunk, false),
               usesText(thunk, true)});
  }
  fmt::print("{}{}, {}{}\n", table.text(), counted(std::ssize(study.thunks), "thunk"),
             counted(std::ssize(study.hazards), "hazard"),
             !study.isChecked      ? ""
             : study.races.empty() ? ", no race"
                                   : ", " + counted(std::ssize(study.races), "race"));
  for (const Diagnostic& race : study.races) printError(race);
}

nlohmann::json toJson(const Studied& of) {
  nlohmann::json thunks = nlohmann::json::array(), hazards = nlohmann::json::array(),
                 timeline = nlohmann::json::array(), races = nlohmann::json::array();
  for (const StudiedThunk& thunk : of.study.thunks) {
    nlohmann::json uses = nlohmann::json::array(), ids = nlohmann::json::array();
    for (const ThunkUse& use : thunk.uses) {
      uses.push_back({{"writes", use.writes},
                      {"allocation", use.allocation},
                      {"offset", use.offsetBytes},
                      {"size", use.sizeBytes},
                      {"place", use.place},
                      {"value", use.value}});
    }
    for (const InstructionId id : thunk.instructions) ids.push_back(of.module->instruction(id)->name());
    thunks.push_back({{"name", thunk.name},
                      {"kind", thunk.kind},
                      {"instructions", ids},
                      {"part", thunk.part},
                      {"uses", uses},
                      {"measured_ns", thunk.measuredNs},
                      {"guess_ns", thunk.guessNs}});
    if (thunk.parent != StudiedThunk::kNone) thunks.back()["parent"] = thunk.parent;
  }
  for (const ThunkHazard& hazard : of.study.hazards) {
    hazards.push_back({{"from", hazard.from},
                       {"to", hazard.to},
                       {"read_after_write", hazard.readAfterWrite},
                       {"write_after_read", hazard.writeAfterRead},
                       {"write_after_write", hazard.writeAfterWrite}});
  }
  for (const ThunkSpan& span : of.study.timeline)
    timeline.push_back({span.thunk, span.device, span.thread, span.startNs, span.durationNs});
  for (const Diagnostic& race : of.study.races) races.push_back(reportJson(race));
  return {{"module", of.module == nullptr ? "" : of.module->name()},
          {"title", of.study.title},
          {"thunks", thunks},
          {"hazards", hazards},
          {"checked", of.study.isChecked},
          {"races", races},
          {"timeline", timeline}};
}

// Each line behind the instruction it came of.
int printKernel(const Studied& of, const std::string& name) {
  const auto& thunks = of.study.thunks;
  const auto found = std::ranges::find(thunks, name, &StudiedThunk::name);
  if (found == thunks.end()) {
    printError(fail("no-such-thunk", fmt::format("no thunk is called {}", name)).error());
    return kNo;
  }
  const auto index = static_cast<uint32_t>(found - thunks.begin());
  const auto forms = of.dump ? kernelFormsOfDump(*of.dump, of.moduleIndex, of.study, index, *of.module)
                             : kernelForms(of.study, index);
  if (!forms) {
    printError(forms.error());
    return kNo;
  }
  for (const KernelForm& form : forms->forms) {
    fmt::print("---- {}\n", form.title);
    Table table({Left, Left});
    std::string_view rest = form.text;
    for (size_t line = 0; !rest.empty(); ++line) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const InstructionId id = form.at(line);
      table.add({id.valid() ? std::string(of.module->instruction(id)->name()) : "",
                 std::string(rest.substr(0, end))});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    fmt::print("{}", table.text());
  }
  return kOk;
}

Result<std::vector<Studied>> studiesOf(const Options& options) {
  std::vector<Studied> studies;
  TRY(const auto dump, openDump(options.path));
  for (size_t m = 0; m < dump->modules.size(); ++m) {
    if (!hasThunkSequence(*dump, m) || dump->modules[m].stages.empty()) continue;
    TRY(const auto file, loadStage(*dump, m, dump->modules[m].stages.size() - 1));
    TRY(ThunkStudy study, studyThunksOfDump(*dump, m, *file->module));
    studies.push_back({std::move(study), file->module, dump, m});
  }
  if (studies.empty())
    return fail("no-thunk-sequence", "the dump holds no thunk sequence", {.file = options.path});
  return studies;
}

// A module compiled, or a saved program; measured unless that is not wanted.
Result<Studied> studyFile(const Options& options, std::shared_ptr<const Module> module) {
  Studied of{.module = std::move(module)};
  if (of.module != nullptr) {
    TRY(of.study, compileThunks(of.module, JobContext()));
  } else {
    TRY(const auto program, readSavedProgram(options.path));
    TRY(of.study, studyProgram(program));
  }
  if (!options.noRun) {
    TRY(of.study, measureThunks(of.study, workerOf(options.worker), JobContext()));
  }
  return of;
}

int run(const Options& options) {
  std::vector<Studied> studies;
  if (std::filesystem::is_directory(options.path)) {
    auto found = studiesOf(options);
    if (!found) return reportFailure(found.error(), kNo);
    studies = std::move(*found);
  } else {
    std::shared_ptr<const Module> module;
    if (!isSavedProgram(options.path)) {
      const auto file = openRefined(options.path, options.argumentShapes);
      if (!file) return kNo;
      module = (*file)->module;
    }
    auto studied = studyFile(options, std::move(module));
    if (!studied) return reportFailure(studied.error(), kNotRunnable);
    studies.push_back(std::move(*studied));
  }
  int exitCode = kOk;
  nlohmann::json all = nlohmann::json::array();
  for (const Studied& of : studies) {
    if (!of.study.races.empty()) exitCode = kNo;
    if (!options.kernel.empty()) {
      exitCode = std::max(exitCode, printKernel(of, options.kernel));
    } else if (options.json) {
      all.push_back(toJson(of));
    } else {
      print(of);
    }
  }
  if (options.json && options.kernel.empty()) printJson(all.size() == 1 ? all[0] : all);
  return exitCode;
}

}  // namespace

void addThunks(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("thunks", "Show what a compiled module runs: bytes, hazards, times, kernels");
  command
      ->add_option(
          "FILE", options->path,
          "HLO text or protobuf, gzip or not, which is compiled and measured; a program that hilo compile "
          "--save wrote, which is measured; or a dump directory with a thunk sequence, which is read")
      ->required();
  addArgumentShapes(*command, options->argumentShapes);
  addWorkerOptions(*command, options->worker);
  command->add_option("--kernel", options->kernel,
                      "Print this thunk's kernel instead, each line behind the instruction it came of");
  command->add_flag("--no-run", options->noRun, "Do not measure: thunks have the compiler's guesses alone");
  command->add_flag("--json", options->json, "Print JSON, with hazards and the timeline");
  command->footer(R"(
Exit status: 0 no race, 1 two thunks use the same bytes in no order or the input is wrong, 2 wrong usage, 3 it cannot
be compiled or run here, with the reasons.

Examples:
  hilo thunks module.hlo
  hilo thunks module.hlo --kernel fusion.3
  hilo thunks module.program --no-run
  hilo thunks xla_dump/ --json | jq '.thunks[] | select(.uses == [])')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
