#include "app/cli/thunk_report.h"

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/fit_columns.h"
#include "app/cli/report.h"
#include "core/base/enum_table.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_diff.h"
#include "core/workspace/thunks/xla_thunks.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

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

// Its number, or why it is in none; "" where there are no graphs.
std::string graphText(const StudiedThunk& thunk) {
  if (thunk.graph == StudiedThunk::kNone && thunk.whyNoGraph.empty()) return {};
  return thunk.graph != StudiedThunk::kNone ? fmt::format("{}", thunk.graph) : "no: " + thunk.whyNoGraph;
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

// Nullopt: reported.
std::optional<uint32_t> thunkCalled(const Studied& of, const std::string& name) {
  const auto& thunks = of.study.thunks;
  const auto found = std::ranges::find(thunks, name, &StudiedThunk::name);
  if (found != thunks.end()) return static_cast<uint32_t>(found - thunks.begin());
  printError(fail("no-such-thunk", fmt::format("no thunk is called {}", name)).error());
  return std::nullopt;
}

struct Column {
  const char* title;
  Table::Align align;
  std::vector<std::string> cells;  // by thunk

  bool isEmpty() const { return std::ranges::all_of(cells, &std::string::empty); }
};

// "    body: fusion.3": below what runs it.
std::vector<std::string> namesOf(const ThunkStudy& study) {
  std::vector<std::string> names;
  std::vector<size_t> depth(study.thunks.size());
  for (size_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    if (thunk.parent != StudiedThunk::kNone) depth[i] = depth[thunk.parent] + 1;
    names.push_back(std::string(2 * depth[i], ' ') + (thunk.part.empty() ? "" : thunk.part + ": ") +
                    thunk.name);
  }
  return names;
}

// Those that say nothing are left out: no times, instructions that are called as the thunks are.
std::vector<Column> columnsOf(const Studied& of) {
  const std::vector<StudiedThunk>& thunks = of.study.thunks;
  const auto cells = [&](auto text) {
    std::vector<std::string> made;
    std::ranges::transform(thunks, std::back_inserter(made), text);
    return made;
  };
  std::vector<std::string> instructions = cells([&](const StudiedThunk& t) { return namesOf(of, t); });
  const auto isSame = [&](const StudiedThunk& t) {
    const std::string& name = instructions[static_cast<size_t>(&t - thunks.data())];
    return t.name == name || t.name == kernelNameOf(name);
  };
  if (std::ranges::all_of(thunks, isSame)) instructions.assign(thunks.size(), "");
  std::vector<Column> columns = {
      {"thunk", Left, namesOf(of.study)},
      {"kind", Left, cells([](const StudiedThunk& t) { return t.kind; })},
      {"instruction", Left, std::move(instructions)},
      {"median", Right, cells([](const StudiedThunk& t) { return timeText(t.measuredNs); })},
      {"estimate", Right, cells([](const StudiedThunk& t) { return timeText(t.estimatedNs); })},
      {"reads", Left, cells([](const StudiedThunk& t) { return usesText(t, false); })},
      {"writes", Left, cells([](const StudiedThunk& t) { return usesText(t, true); })},
      {"graph", Left, cells(graphText)}};
  if (!thunks.empty()) std::erase_if(columns, &Column::isEmpty);
  return columns;
}

// Where a person reads it, as wide as the terminal.
Table tableOf(std::vector<Column> columns) {
  std::vector<std::vector<std::string>*> cells;
  std::vector<Table::Align> aligned;
  for (Column& column : columns) {
    column.cells.insert(column.cells.begin(), column.title);
    cells.push_back(&column.cells);
    aligned.push_back(column.align);
  }
  if (const size_t width = terminalWidth(); width > 0) fitColumns(cells, width);
  Table table(aligned);
  for (size_t i = 0; i < columns[0].cells.size(); ++i) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(column.cells[i]);
    table.add(row);
  }
  return table;
}

}  // namespace

void printThunks(const Studied& of) {
  const ThunkStudy& study = of.study;
  fmt::print("{}{}\n", of.module == nullptr ? "" : fmt::format("{}: ", of.module->name()), study.title);
  fmt::print(
      "{}{}, {}{}\n", tableOf(columnsOf(of)).text(), counted(std::ssize(study.thunks), "thunk"),
      study.hazards.size() == 1 ? "1 dependency" : grouped(std::ssize(study.hazards)) + " dependencies",
      !study.isChecked      ? ""
      : study.races.empty() ? ", no data races"
                            : ", " + counted(std::ssize(study.races), "data race"));
  for (const ThunkRace& race : study.races) printError(diagnosticOf(study, race));
}

int printThunkDiff(const Studied& before, const Studied& after, bool json) {
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

nlohmann::json thunksJson(const Studied& of) {
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

int printThunkKernel(const Studied& of, const std::string& name) {
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

}  // namespace hilo::cli
