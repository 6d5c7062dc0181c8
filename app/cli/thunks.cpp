#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/argument_shapes.h"
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/base/enum_table.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/thunk_diff.h"
#include "core/workspace/thunks/thunk_profile.h"
#include "core/workspace/thunks/thunk_text.h"
#include "core/workspace/thunks/write_thunks.h"
#include "core/workspace/thunks/xla_thunks.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, against, argumentShapes, kernel, select, write, target;
  WorkerLimits worker;
  bool noRun = false, json = false, dot = false, graph = false, profile = false;
};

// A study and what its instructions are of.
struct Studied {
  ThunkStudy study;
  std::shared_ptr<const Module> module;    // null of a saved program, and of thunks by themselves
  std::shared_ptr<const OpenedFile> file;  // an executable of XLA's; else null
  std::shared_ptr<const OpenedDump> dump;  // null unless XLA wrote the thunks there
  size_t moduleIndex = 0;
  std::string alone = {};  // the file of thunks by themselves; else ""
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

// Its number, or why it is in none.
std::string graphText(const StudiedThunk& thunk) {
  return thunk.graph != StudiedThunk::kNone ? fmt::format("{}", thunk.graph) : "no: " + thunk.whyNoGraph;
}

void print(const Studied& of) {
  const ThunkStudy& study = of.study;
  fmt::print("{}{}\n", of.module == nullptr ? "" : fmt::format("{}: ", of.module->name()), study.title);
  // Where something is in a graph, or could be.
  const bool hasGraphs = std::ranges::any_of(study.thunks, [](const StudiedThunk& t) {
    return t.graph != StudiedThunk::kNone || !t.whyNoGraph.empty();
  });
  std::vector<Table::Align> columns = {Left, Left, Left, Right, Right, Left, Left};
  std::vector<std::string> titles = {"thunk", "kind", "instruction", "median", "estimate", "reads", "writes"};
  if (hasGraphs) {
    columns.push_back(Left);
    titles.emplace_back("graph");
  }
  Table table(columns);
  table.add(titles);
  std::vector<size_t> depth(study.thunks.size());
  for (size_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    if (thunk.parent != StudiedThunk::kNone) depth[i] = depth[thunk.parent] + 1;
    const std::string part = thunk.part.empty() ? "" : thunk.part + ": ";
    std::vector<std::string> cells = {std::string(2 * depth[i], ' ') + part + thunk.name,
                                      thunk.kind,
                                      namesOf(of, thunk),
                                      timeText(thunk.measuredNs),
                                      timeText(thunk.estimatedNs),
                                      usesText(thunk, false),
                                      usesText(thunk, true)};
    if (hasGraphs) cells.push_back(graphText(thunk));
    table.add(cells);
  }
  fmt::print(
      "{}{}, {}{}\n", table.text(), counted(std::ssize(study.thunks), "thunk"),
      study.hazards.size() == 1 ? "1 dependency" : grouped(std::ssize(study.hazards)) + " dependencies",
      !study.isChecked      ? ""
      : study.races.empty() ? ", no data races"
                            : ", " + counted(std::ssize(study.races), "data race"));
  for (const ThunkRace& race : study.races) printError(diagnosticOf(study, race));
}

std::string lineOf(const ThunkStudy& study, uint32_t number) {
  const StudiedThunk& thunk = study.thunks[number];
  std::string line = fmt::format("{} {}", thunk.kind, thunk.name);
  if (!thunk.description.empty()) line += ": " + thunk.description;
  if (thunk.parent != StudiedThunk::kNone)
    line += fmt::format(" (in {} {})", study.thunks[thunk.parent].name, thunk.part);
  return line;
}

// "reduction_kind: REDUCTION_KIND_SUM -> REDUCTION_KIND_MAX". Long values from shortly before they differ.
std::string textOf(const ChangedField& field) {
  constexpr size_t kBefore = 10, kMost = 60;
  const auto differs = std::ranges::mismatch(field.before, field.after).in1;
  const auto same = static_cast<size_t>(differs - field.before.begin());
  const size_t from =
      std::max(field.before.size(), field.after.size()) > kMost ? same - std::min(same, kBefore) : 0;
  const auto shown = [&](const std::string& value) {
    if (value.empty()) return std::string("not set");
    const std::string part = value.substr(from, kMost);
    return fmt::format("{}{}{}", from > 0 ? "..." : "", part, from + part.size() < value.size() ? "..." : "");
  };
  return fmt::format("{}: {} -> {}", field.name, shown(field.before), shown(field.after));
}

// Two studies as lines, before's with "-" and after's with "+".
int printDiff(const Studied& before, const Studied& after, bool json) {
  const std::vector<ThunkChange> changes = diffThunks(before.study, after.study);
  static constexpr EnumTable<ThunkChange::Kind, const char*> kKinds({"removed", "added", "changed"});
  nlohmann::json rows = nlohmann::json::array();
  for (const ThunkChange& change : changes) {
    const char* kind = kKinds[change.kind];
    const std::string what = fmt::format("{}", fmt::join(change.what, ", "));
    const bool wasThere = change.before != StudiedThunk::kNone, isThere = change.after != StudiedThunk::kNone;
    const std::string was = wasThere ? lineOf(before.study, change.before) : "";
    const std::string is = isThere ? lineOf(after.study, change.after) : "";
    nlohmann::json fields = nlohmann::json::array();
    for (const ChangedField& field : change.fields)
      fields.push_back({{"name", field.name}, {"before", field.before}, {"after", field.after}});
    rows.push_back(
        {{"change", kind}, {"what", change.what}, {"before", was}, {"after", is}, {"fields", fields}});
    if (json) continue;
    fmt::print("{}{}\n", kind, what.empty() ? "" : ": " + what);
    if (wasThere) fmt::print("  - {}\n", was);
    if (isThere) fmt::print("  + {}\n", is);
    for (const ChangedField& field : change.fields) fmt::print("    {}\n", textOf(field));
  }
  const bool comparesAll = comparesFields(before.study, after.study);
  if (json) {
    printJson({{"before", before.study.title},
               {"after", after.study.title},
               {"compares_fields", comparesAll},
               {"changes", rows}});
  } else {
    if (!comparesAll)
      fmt::print("fields were not compared: one side is compiled by Hilo, the other by XLA\n");
    fmt::print("{} of {} and {}\n", counted(std::ssize(changes), "change"),
               counted(std::ssize(before.study.thunks), "thunk"), after.study.thunks.size());
  }
  return changes.empty() ? kOk : kNo;
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
    nlohmann::json fields = nlohmann::json::array();  // a name may stand several times
    for (const ThunkField& field : thunk.fields) fields.push_back({field.name, field.value});
    thunks.push_back({{"name", thunk.name},
                      {"kind", thunk.kind},
                      {"description", thunk.description},
                      {"fields", fields},
                      {"instructions", ids},
                      {"part", thunk.part},
                      {"uses", uses},
                      {"measured_ns", thunk.measuredNs},
                      {"estimated_ns", thunk.estimatedNs}});
    if (thunk.parent != StudiedThunk::kNone) thunks.back()["parent"] = thunk.parent;
    if (thunk.graph != StudiedThunk::kNone) thunks.back()["graph"] = thunk.graph;
    if (!thunk.whyNoGraph.empty()) thunks.back()["why_no_graph"] = thunk.whyNoGraph;
  }
  for (const ThunkHazard& hazard : of.study.hazards) {
    hazards.push_back({{"from", hazard.from},
                       {"to", hazard.to},
                       {"read_after_write", hazard.readAfterWrite},
                       {"write_after_read", hazard.writeAfterRead},
                       {"write_after_write", hazard.writeAfterWrite},
                       {"keeps_order", hazard.keepsOrder}});
  }
  for (const ThunkSpan& span : of.study.timeline)
    timeline.push_back({span.thunk, span.device, span.thread, span.startNs, span.durationNs});
  for (const ThunkRace& race : of.study.races) races.push_back(reportJson(diagnosticOf(of.study, race)));
  return {{"module", of.module == nullptr ? "" : of.module->name()},
          {"title", of.study.title},
          {"thunks", thunks},
          {"dependencies", hazards},
          {"checked", of.study.isChecked},
          {"races", races},
          {"timeline", timeline}};
}

// Nullopt: reported.
std::optional<uint32_t> thunkCalled(const Studied& of, const std::string& name) {
  const auto& thunks = of.study.thunks;
  const auto found = std::ranges::find(thunks, name, &StudiedThunk::name);
  if (found != thunks.end()) return static_cast<uint32_t>(found - thunks.begin());
  printError(fail("no-such-thunk", fmt::format("no thunk is called {}", name)).error());
  return std::nullopt;
}

// Everything about one.
int printThunk(const Studied& of, const std::string& name) {
  const auto index = thunkCalled(of, name);
  if (!index) return kNo;
  fmt::print("{}\n", lineOf(of.study, *index));
  const StudiedThunk& thunk = of.study.thunks[*index];
  Table table({Left, Left, Right, Left});
  for (const ThunkUse& use : thunk.uses)
    table.add({use.writes ? "writes" : "reads", use.place, bytesText(use.sizeBytes), use.value});
  for (const ThunkHazard& hazard : of.study.hazards) {
    if (hazard.to == *index) table.add({"after", of.study.thunks[hazard.from].name, "", ""});
    if (hazard.from == *index) table.add({"before", of.study.thunks[hazard.to].name, "", ""});
  }
  for (const InstructionId id : thunk.instructions)
    table.add({"from", std::string(of.module->instruction(id)->name()), "", ""});
  if (thunk.measuredNs >= 0) table.add({"takes", durationText(thunk.measuredNs), "", ""});
  fmt::print("{}", table.text(2));
  for (const ThunkField& field : thunk.fields) fmt::print("  {} = {}\n", field.name, field.value);
  return kOk;
}

// Each line behind the instruction it came of.
int printKernel(const Studied& of, const std::string& name) {
  const auto found = thunkCalled(of, name);
  if (!found) return kNo;
  const uint32_t index = *found;
  const auto forms = of.dump   ? kernelFormsOfDump(*of.dump, of.moduleIndex, of.study, index, *of.module)
                     : of.file ? kernelFormsOfFile(*of.file, of.study, index)
                     : of.alone.empty() ? kernelForms(of.study, index)
                                        : kernelFormsAlone(of.alone, of.study, index);
  if (!forms) {
    printError(forms.error());
    return kNo;
  }
  if (!forms->gauges.empty()) {
    Table gauges({Left, Left});
    for (const KernelGauge& gauge : forms->gauges) gauges.add({gauge.name, gauge.text});
    fmt::print("{}", gauges.text());
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

Result<std::vector<Studied>> studiesOfDump(const std::shared_ptr<const OpenedDump>& dump) {
  std::vector<Studied> studies;
  for (size_t m = 0; m < dump->modules.size(); ++m) {
    if (!hasThunkSequence(*dump, m) || dump->modules[m].stages.empty()) continue;
    TRY(const auto file, loadStage(*dump, m, dump->modules[m].stages.size() - 1));
    TRY(ThunkStudy study, studyThunksOfDump(*dump, m, *file->module));
    studies.push_back({std::move(study), file->module, nullptr, dump, m});
  }
  if (studies.empty())
    return fail("no-thunk-sequence", "the dump holds no thunk sequence", {.file = dump->path});
  return studies;
}

// Without a time for what cannot be run, or where that is not wanted.
Result<Studied> measured(const Options& options, Studied of) {
  if (!options.noRun && options.target.empty() && options.write.empty() && of.study.program != nullptr) {
    TRY(of.study, measureThunks(of.study, workerOf(options.worker), JobContext()));
  }
  return of;
}

// Nullopt: reported. What XLA wrote is read, and nothing is refused.
std::optional<Result<Studied>> asXlaWrote(Studied of, Result<ThunkStudy> study) {
  if (!study) {
    printError(study.error());
    return std::nullopt;
  }
  of.study = *std::move(study);
  return of;
}

// XLA's own thunks where the file has them; else the module compiled, measured unless that is not
// wanted. Nullopt: reported.
std::optional<Result<Studied>> studyFile(const Options& options,
                                         Result<std::shared_ptr<const OpenedFile>> opened) {
  Studied of;
  if (opened && hasThunkSequence(**opened)) {
    for (const Diagnostic& diagnostic : (*opened)->diagnostics) printError(diagnostic);
    of.file = *opened;
    of.module = of.file->module;
    return asXlaWrote(of, studyThunksOfFile(*of.file));
  }
  const auto file = refinedOf(std::move(opened), options.argumentShapes);
  if (!file) return std::nullopt;
  of.module = (*file)->module;
  auto study = options.target.empty() ? compileThunks(of.module, JobContext())
                                      : compileThunksForGpu(of.module, options.target, JobContext());
  if (!study) return std::unexpected(study.error());
  of.study = *std::move(study);
  return measured(options, std::move(of));
}

Result<Studied> studyOfProgram(const Options& options, const std::string& path) {
  TRY(const auto program, readSavedProgram(path));
  Studied of;
  TRY(of.study, studyProgram(program));
  return measured(options, std::move(of));
}

// What is at a path, but for a dump. Nullopt: reported.
std::optional<Result<Studied>> studyOne(const Options& options, PathContent content) {
  if (const auto* program = std::get_if<SavedProgramFile>(&content))
    return studyOfProgram(options, program->path);
  if (const auto* thunks = std::get_if<ThunksFile>(&content))
    return asXlaWrote({.alone = thunks->path}, studyThunksAlone(thunks->path));
  return studyFile(options, fileOf(std::move(content)));
}

const std::shared_ptr<const OpenedDump>* dumpIn(const PathContent& content) {
  const auto* item = std::get_if<OpenedItem>(&content);
  return item == nullptr ? nullptr : std::get_if<std::shared_ptr<const OpenedDump>>(item);
}

// Of a document its first module or dump.
Result<PathContent> contentAt(const std::string& path) {
  TRY(PathContent content, openPath(path));
  if (!std::holds_alternative<DocumentFile>(content)) return content;
  TRY(OpenedItem item, itemOf(std::move(content)));
  return PathContent(std::move(item));
}

// Nullopt: reported.
std::optional<Result<std::vector<Studied>>> studiesOf(const Options& options, const std::string& path) {
  auto content = contentAt(path);
  if (!content) {
    printError(content.error());
    return std::nullopt;
  }
  if (const auto* dump = dumpIn(*content)) return studiesOfDump(*dump);
  auto studied = studyOne(options, *std::move(content));
  if (!studied) return std::nullopt;
  if (!*studied) return std::unexpected(studied->error());
  std::vector<Studied> one;
  one.push_back(std::move(**studied));
  return one;
}

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
    print(of);
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
  auto studied = studyOne(options, *std::move(content));
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
  const auto found = studiesOf(options, options.path);
  if (!found) return kNo;
  if (!*found)
    return reportFailure(found->error(), std::filesystem::is_directory(options.path) ? kNo : kNotRunnable);
  const std::vector<Studied>& studies = **found;
  if (!options.against.empty()) {
    const auto others = studiesOf(options, options.against);
    if (!others) return kNo;
    if (!*others) return reportFailure(others->error(), kNo);
    if (studies.size() != 1 || (*others)->size() != 1) {
      const auto several = studies.size() != 1 ? options.path : options.against;
      printError(
          fail("several-modules", fmt::format("{} holds several modules: name the file of one", several))
              .error());
      return kUsage;
    }
    return printDiff((**others)[0], studies[0], options.json);
  }
  int exitCode = kOk;
  nlohmann::json all = nlohmann::json::array();
  for (const Studied& of : studies) {
    if (options.profile) return printProfile(of);
    if (!of.study.races.empty()) exitCode = kNo;
    if (!options.kernel.empty()) {
      exitCode = std::max(exitCode, printKernel(of, options.kernel));
    } else if (!options.select.empty()) {
      exitCode = std::max(exitCode, printThunk(of, options.select));
    } else if (options.json) {
      all.push_back(toJson(of));
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
  addArgumentShapes(*command, options->argumentShapes);
  addWorkerOptions(*command, options->worker);
  addFfiOptions(*command);
  command->add_option(
      "--target", options->target,
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
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
