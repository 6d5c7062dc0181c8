#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "app/cli/watching.h"
#include "core/base/enum_table.h"
#include "core/workspace/bisect/bisect.h"
#include "core/workspace/bisect/pipeline_edits.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string input, module, output;
  std::vector<std::string> pipelines;  // two: the one that is good, and the one that is bad
  WatchArguments watching;
  bool json = false;
};

// What is searched, with how the command line called it.
struct Subject {
  BisectRequest request;
  std::vector<std::string> commands(const Options& options, const Bisection& found) const;
};

std::string quoted(const std::string& word) {
  const bool isPlain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:") ==
      std::string::npos;
  return isPlain ? word : "'" + word + "'";
}

std::vector<std::string> Subject::commands(const Options& options, const Bisection& found) const {
  if (request.stages || found.outcome != BisectOutcome::Found) return {};
  const auto passes = [&](size_t count) {
    const std::vector<std::string> names(found.steps.begin() + 1,
                                         found.steps.begin() + 1 + static_cast<ptrdiff_t>(count));
    return quoted(fmt::format("--passes={}", fmt::join(names, ",")));
  };
  const std::string input = quoted(options.input);
  if (request.goodPasses) {
    const PipelineEdits edits(*request.goodPasses, request.passes);
    const auto command = [&](size_t made, const char* file) {
      std::vector<std::string> names;
      for (const ConfiguredPass& pass : edits.passesWith(made)) names.push_back(passText(pass));
      return fmt::format("hilo opt {} {} -o {}", input,
                         quoted(fmt::format("--passes={}", fmt::join(names, ","))), file);
    };
    return {command(found.lastGood, "good.hlo"), command(found.firstBad, "bad.hlo")};
  }
  if (!found.rewrite) {
    return {fmt::format("hilo opt {} {} -o good.hlo", input, passes(found.lastGood)),
            fmt::format("hilo opt {} {} -o bad.hlo", input, passes(found.firstBad))};
  }
  const std::string name = found.pass.substr(0, found.pass.find('{'));
  const auto command = [&](int64_t rewrites, const char* file) {
    return fmt::format("hilo opt {} {} --fuel={}={} -o {}", input, passes(found.firstBad), name,
                       found.rewrite->earlier + rewrites, file);
  };
  return {command(found.rewrite->good, "good.hlo"), command(found.rewrite->bad, "bad.hlo")};
}

nlohmann::json lookJson(const BisectLook& look) {
  nlohmann::json json = {{"step", look.step},
                         {"name", look.name},
                         {"sight", sightName(look.seen.sight)},
                         {"kind", look.seen.kind},
                         {"what", look.seen.what}};
  if (look.fuel >= 0) json["fuel"] = look.fuel;
  return json;
}

constexpr EnumTable<BisectOutcome, const char*> kOutcomes({"found", "bad-at-start", "good-at-end",
                                                           "unknown-at-start", "unknown-at-end"});

nlohmann::json toJson(const Bisection& found, const std::vector<std::string>& commands) {
  nlohmann::json looks = nlohmann::json::array(), changes = nlohmann::json::array();
  for (const BisectLook& look : found.looks) looks.push_back(lookJson(look));
  for (const BisectChange& change : found.changes) {
    changes.push_back({{"kind", changeName(change.kind)},
                       {"name", change.name},
                       {"before", change.before},
                       {"after", change.after}});
  }
  nlohmann::json json = {{"outcome", kOutcomes[found.outcome]},
                         {"failure", {{"kind", found.end.kind}, {"what", found.end.what}}},
                         {"steps", found.steps},
                         {"looks", looks}};
  if (found.outcome != BisectOutcome::Found) return json;
  json.update({{"pass", found.pass},
               {"last_good", found.lastGood},
               {"first_bad", found.firstBad},
               {"one_step", found.isOneStep},
               {"change_count", found.changeCount},
               {"changes", changes},
               {"commands", commands}});
  if (!found.rewrite) {
    json["no_rewrite"] = found.whyNoRewrite;
    return json;
  }
  json["rewrite"] = {{"good", found.rewrite->good},
                     {"bad", found.rewrite->bad},
                     {"earlier", found.rewrite->earlier},
                     {"instruction", found.rewrite->instruction ? found.rewrite->instruction->name : ""},
                     {"text", found.rewrite->text}};
  return json;
}

void printNotFound(const Bisection& found, bool arePipelines) {
  const auto tell = [&](const char* what) {
    fmt::print("{}{}\n", what, found.end.what.empty() ? "" : ": " + found.end.what);
  };
  switch (found.outcome) {
    case BisectOutcome::Found:
      return;
    case BisectOutcome::BadAtStart:
      return tell(arePipelines ? "bad with the first pipeline too" : "bad before the first pass");
    case BisectOutcome::GoodAtEnd:
      return tell(arePipelines ? "good with the second pipeline too" : "good after the last pass");
    case BisectOutcome::UnknownAtStart:
      return tell("it cannot be told whether the input is good");
    case BisectOutcome::UnknownAtEnd:
      return tell("it cannot be told whether the end is bad");
  }
}

void printRewrite(const Bisection& found) {
  if (!found.rewrite) {
    fmt::print("the rewrite is not known: {}\n", found.whyNoRewrite);
    return;
  }
  const BadRewrite& rewrite = *found.rewrite;
  const std::string which = rewrite.bad == rewrite.good + 1
                                ? fmt::format("rewrite {}", rewrite.bad)
                                : fmt::format("one of the rewrites {} to {}", rewrite.good + 1, rewrite.bad);
  fmt::print("{} of this run of the pass{}\n", which,
             rewrite.instruction ? fmt::format(", of %{}", rewrite.instruction->name) : "");
  if (!rewrite.text.empty()) fmt::print("  {}\n", rewrite.text);
}

void printChanges(const Bisection& found) {
  constexpr size_t kMost = 10;
  if (found.changes.empty()) return;
  fmt::print("it changed {}:\n", counted(static_cast<int64_t>(found.changeCount), "instruction"));
  for (size_t i = 0; i < std::min(kMost, found.changes.size()); ++i) {
    if (!found.changes[i].before.empty()) fmt::print("  - {}\n", shortened(found.changes[i].before));
    if (!found.changes[i].after.empty()) fmt::print("  + {}\n", shortened(found.changes[i].after));
  }
  if (found.changeCount > kMost) fmt::print("  and {} more (--json has them)\n", found.changeCount - kMost);
}

void print(const Bisection& found, const std::vector<std::string>& commands) {
  const size_t last = found.steps.size() - 1;
  if (found.isOneStep) {
    fmt::print("bad after step {} of {}: {}\n", found.firstBad, last, found.pass);
  } else {
    fmt::print("bad after one of the steps {} to {} of {}: the last is {}\n", found.lastGood + 1,
               found.firstBad, last, found.pass);
  }
  fmt::print("{}{}\n", found.end.kind, found.end.what.empty() ? "" : ": " + found.end.what);
  printRewrite(found);
  printChanges(found);
  fmt::print("{} looked at\n", counted(static_cast<int64_t>(found.looks.size()), "module"));
  if (commands.empty()) return;
  fmt::print("\nto see it again:\n");
  for (const std::string& command : commands) fmt::print("  {}\n", command);
}

Status writeModules(const std::string& folder, const Bisection& found) {
  const auto write = [&](const char* name, const Module* module) -> Status {
    if (module == nullptr) return {};
    TRY(const std::string text,
        convertModule(*module, ConvertOptions{.kind = OutputKind::Text, .largeConstants = true}));
    return writeOutput(folder + "/" + name, text);
  };
  TRY_STATUS(write("good.hlo", found.good.get()));
  return write("bad.hlo", found.bad.get());
}

// What is set and left out holds for the second, so that one pipeline is searched over its settings too.
Status takePipelines(const Options& options, BisectRequest& request) {
  if (options.pipelines.size() != 2)
    return fail("bad-pass-list", "--pipelines takes two, the good one first, as in A,B");
  TRY(request.goodPasses, passesToRun({.pipeline = options.pipelines[0]}));
  TRY(request.passes, passesToRun({.pipeline = options.pipelines[1],
                                   .settings = options.watching.settings,
                                   .disabled = options.watching.disabled}));
  return {};
}

// A dump is searched over its stages unless passes are named, which run over its first.
Result<Subject> subjectOf(const Options& options, const CLI::App& command) {
  Subject subject;
  TRY(subject.request.passes, passesOf(options.watching));
  if (!options.pipelines.empty()) TRY_STATUS(takePipelines(options, subject.request));
  TRY(const OpenedItem item, openItem(options.input));
  std::shared_ptr<const OpenedFile> file;
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item)) {
    TRY(const size_t module, moduleOfDump(**dump, options.module));
    TRY(file, loadStage(**dump, module, 0));
    if (subject.request.passes.empty()) subject.request.stages = seriesFromDump(*dump, module);
  } else {
    file = std::get<std::shared_ptr<const OpenedFile>>(item);
    if (subject.request.passes.empty())
      return fail("bad-pass-list", "a module is searched over passes: --pipeline or --passes names them", {},
                  {"for instance --pipeline=cpu --against reference: whose answer it no longer gives"});
  }
  TRY(file, wholeOf(file));
  TRY(subject.request.passes, passesOf(options.watching, file->module));
  TRY(SearchInput input, watchedInput(options.watching, command, *file));
  subject.request.module = std::move(input.module);
  subject.request.arguments = std::move(input.arguments);
  subject.request.seed = options.watching.arguments.seed;
  return subject;
}

int run(Options options, const CLI::App& command) {
  if (options.pipelines.empty()) {
    if (const Status kept = takeKept(options.input, options.watching); !kept)
      return reportWatchError(kept.error());
  }
  auto watcher = watcherOf(options.watching);
  if (!watcher) return reportWatchError(watcher.error());
  const auto subject = subjectOf(options, command);
  if (!subject) return reportWatchError(subject.error());
  const auto found =
      withProgress("bisect", [&](JobContext& job) { return bisect(subject->request, **watcher, job); });
  if (!found) return reportWatchError(found.error());
  const auto commands = subject->commands(options, *found);
  if (options.json) {
    printJson(toJson(*found, commands));
  } else if (found->outcome == BisectOutcome::Found) {
    print(*found, commands);
  } else {
    printNotFound(*found, subject->request.goodPasses.has_value());
  }
  if (!options.output.empty() && found->outcome == BisectOutcome::Found) {
    if (const Status written = writeModules(options.output, *found); !written) {
      printError(written.error());
      return kNo;
    }
  }
  return found->outcome == BisectOutcome::Found ? kOk : kNo;
}

}  // namespace

void addBisect(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bisect", "Find the pass, the rewrite and the instruction that break a module");
  command
      ->add_option("FILE", options->input,
                   "A module, or a dump, whose stages are searched if no passes are named, or the .hilo of a "
                   "reduction, which says itself what was watched over which passes")
      ->required();
  addWatchArguments(*command, "--watch", options->watching);
  command
      ->add_option(
          "--pipelines", options->pipelines,
          "Two pipelines, the good one first: search over their differences, aligned by pass. --set and "
          "--disable hold for the second")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes("--passes")
      ->excludes("--pipeline")
      ->type_name("A,B");
  command->add_option("--module", options->module, "Of a dump with several modules, the one")
      ->type_name("NAME");
  command->add_option("-o,--output", options->output,
                      "A folder for good.hlo and bad.hlo, the modules on the two sides of what breaks it");
  command->add_flag("--json", options->json, "Print JSON: every look, every change");
  command->footer("\n" + watcherHelp() + R"(
A LIMIT is an amount, or with an x that many times what it was before the passes. The result of the reference evaluator
is compared with that for the module before the passes; --engine cpu:no-passes compiles what the passes made instead.

Exit status: 0 found, 1 there is nothing to find or it cannot be told, 2 wrong usage.

Examples:
  hilo bisect module.hlo --pipeline cpu --against reference
  hilo bisect module.hlo --pipeline cpu --watch nan --args input.npz
  hilo bisect module.hlo --pipeline cpu --watch memory:1.5x --json
  hilo bisect module.hlo --pipeline cpu --watch crash
  hilo bisect module.hlo --pipelines cpu,cpu --disable loop-fusion --watch time:1.2x
  hilo bisect dump/ --module jit_step --expect output.npz
  hilo bisect module.hlo --passes=cse,dce --watch 'script:./check.sh' -o around/)");
  command->callback([options, command, &exitCode] { exitCode = run(*options, *command); });
}

}  // namespace hilo::cli
