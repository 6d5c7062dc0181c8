#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/analysis/summary.h"
#include "core/workspace/document/document.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/thunks/xla_thunks.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path;
  size_t top = 10;
  bool json = false;
};

void section(std::string_view title, const Table& table) {
  if (!table.empty()) fmt::print("\n{}\n{}", title, table.text(2));
}

void printCounts(std::string_view title, const std::vector<NamedCount>& counts, size_t top) {
  Table table({Right, Left});
  for (size_t n = 0; n < counts.size() && n < top; ++n) table.add({grouped(counts[n].count), counts[n].name});
  if (counts.size() > top) table.add({"...", fmt::format("and {} more", counts.size() - top)});
  section(title, table);
}

void printSized(std::string_view title, const std::vector<SizedInstruction>& rows) {
  Table table({Right, Left, Left, Left});
  for (const SizedInstruction& row : rows)
    table.add({bytesText(row.bytes), row.name, row.shape, "in " + row.computation});
  section(title, table);
}

void printCollectives(const std::vector<CollectiveRow>& rows) {
  Table table({Right, Left, Left, Right, Left});
  for (const CollectiveRow& row : rows) {
    const std::string groups = row.groupCount == 0
                                   ? "all devices"
                                   : fmt::format("{} of {}", counted(row.groupCount, "group"), row.groupSize);
    table.add({grouped(row.count), row.opcode, groups, bytesText(row.bytes),
               fmt::format("{}", fmt::join(row.elementTypes, " "))});
  }
  section("collectives", table);
}

void printLoops(const std::vector<LoopRow>& rows) {
  Table table({Left, Right, Left, Right, Right});
  for (const LoopRow& row : rows) {
    table.add({row.name, row.tripCount < 0 ? "trips unknown" : counted(row.tripCount, "trip"), row.body,
               counted(row.bodyInstructions, "instruction"), amountText(row.bodyFlops) + " flops a trip"});
  }
  section("loops", table);
}

void printHead(const OpenedFile& file, const ModuleSummary& s) {
  fmt::print("module {}\n", s.name);
  Table table({Left, Left});
  table.add({"file", fmt::format("{} ({}{}, {})", file.path, file.kind, file.gzipped ? ", gzip" : "",
                                 bytesText(static_cast<int64_t>(file.sizeBytes)))});
  table.add({"entry", shortened(fmt::format("{}: {}", s.entry, s.entryShape))});
  table.add({"instructions", fmt::format("{} in {}; {} in the entry; {}", grouped(s.instructions),
                                         counted(s.computations, "computation"), grouped(s.entryInstructions),
                                         counted(s.fusions, "fusion"))});
  std::string devices =
      fmt::format("{} x {}", counted(s.partitions, "partition"), counted(s.replicas, "replica"));
  if (s.impliedDevices > s.partitions * s.replicas)
    devices += fmt::format(" by the header; its collectives are of {} devices", s.impliedDevices);
  table.add({"devices", std::move(devices)});
  table.add({"scheduled", s.scheduled ? "yes" : "no"});
  table.add(
      {"memory",
       fmt::format("parameters {}, result {}, constants {}, {}", bytesText(s.parameterBytes),
                   bytesText(s.resultBytes), bytesText(s.constantBytes),
                   s.inputOutputAliases == 1 ? "1 alias" : fmt::format("{} aliases", s.inputOutputAliases))});
  std::string flops = amountText(s.cost.flops) + " flops";
  if (s.cost.flopsUnknown) flops += " + custom calls";
  table.add(
      {"cost", fmt::format("{}, {} transcendentals, {} accessed{}", flops, amountText(s.cost.transcendentals),
                           bytesText(s.cost.bytesAccessed),
                           s.cost.tripCountUnknown ? " (loops of unknown trip count counted once)" : "")});
  if (!file.arguments.empty()) {
    table.add(
        {"snapshot", fmt::format("{}{}", counted(static_cast<int64_t>(file.arguments[0].size()), "argument"),
                                 file.result ? " and a result" : "")});
  }
  if (hasThunkSequence(file)) {
    if (const auto study = studyThunksOfFile(file); study)
      table.add({"thunks", fmt::format("{} of XLA's own; hilo thunks shows them", study->thunks.size())});
  }
  fmt::print("{}", table.text(2));
}

void printModule(const OpenedFile& file, size_t top) {
  const ModuleSummary s = summarize(*file.module, top);
  printHead(file, s);
  printCounts("opcodes", s.opcodes, top);
  printCounts("element types", s.elementTypes, top);
  printSized("largest values", s.largestValues);
  printSized("largest constants", s.largestConstants);
  printCollectives(s.collectives);
  printLoops(s.loops);
  printCounts("custom calls", s.customCalls, top);
}

nlohmann::json countsJson(const std::vector<NamedCount>& counts) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedCount& row : counts) list.push_back({{"name", row.name}, {"count", row.count}});
  return list;
}

nlohmann::json sizedJson(const std::vector<SizedInstruction>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const SizedInstruction& row : rows) {
    list.push_back({{"name", row.name},
                    {"computation", row.computation},
                    {"opcode", row.opcode},
                    {"shape", row.shape},
                    {"bytes", row.bytes}});
  }
  return list;
}

nlohmann::json moduleJson(const OpenedFile& file, size_t top) {
  const ModuleSummary s = summarize(*file.module, top);
  nlohmann::json collectives = nlohmann::json::array(), loops = nlohmann::json::array(),
                 header = nlohmann::json::object();
  for (const CollectiveRow& row : s.collectives) {
    collectives.push_back({{"opcode", row.opcode},
                           {"count", row.count},
                           {"groups", row.groupCount},
                           {"group_size", row.groupSize},
                           {"bytes", row.bytes},
                           {"types", row.elementTypes}});
  }
  for (const LoopRow& row : s.loops) {
    loops.push_back({{"name", row.name},
                     {"computation", row.computation},
                     {"body", row.body},
                     {"condition", row.condition},
                     {"instructions", row.bodyInstructions},
                     {"flops", row.bodyFlops}});
    if (row.tripCount >= 0) loops.back()["trip_count"] = row.tripCount;
  }
  for (const auto& [name, value] : s.headerAttributes) header[name] = value;
  return {{"path", file.path},
          {"kind", file.kind},
          {"gzip", file.gzipped},
          {"size", file.sizeBytes},
          {"module", s.name},
          {"entry", s.entry},
          {"entry_shape", s.entryShape},
          {"scheduled", s.scheduled},
          {"partitions", s.partitions},
          {"replicas", s.replicas},
          {"implied_devices", s.impliedDevices},
          {"computations", s.computations},
          {"instructions", s.instructions},
          {"entry_instructions", s.entryInstructions},
          {"fusions", s.fusions},
          {"parameter_bytes", s.parameterBytes},
          {"result_bytes", s.resultBytes},
          {"constant_bytes", s.constantBytes},
          {"aliases", s.inputOutputAliases},
          {"header", header},
          {"flops", s.cost.flops},
          {"transcendentals", s.cost.transcendentals},
          {"bytes_accessed", s.cost.bytesAccessed},
          {"trip_count_unknown", s.cost.tripCountUnknown},
          {"flops_unknown", s.cost.flopsUnknown},
          {"opcodes", countsJson(s.opcodes)},
          {"element_types", countsJson(s.elementTypes)},
          {"custom_calls", countsJson(s.customCalls)},
          {"largest_values", sizedJson(s.largestValues)},
          {"largest_constants", sizedJson(s.largestConstants)},
          {"collectives", collectives},
          {"loops", loops}};
}

void printDump(const OpenedDump& dump) {
  fmt::print("dump {}: {}\n", dump.path, counted(static_cast<int64_t>(dump.modules.size()), "module"));
  for (const DumpModuleInfo& module : dump.modules) {
    int64_t bytes = 0;
    for (const DumpFileInfo& file : module.files) bytes += static_cast<int64_t>(file.sizeBytes);
    fmt::print("\nmodule {}{}\n", module.name,
               module.process.empty() ? "" : fmt::format(" (process {})", module.process));
    Table stages({Right, Left, Left});
    for (size_t n = 0; n < module.stages.size(); ++n) {
      stages.add({fmt::format("{}", n), module.stages[n].name, module.stages[n].pipeline});
    }
    fmt::print("  {}, {}, {}\n{}", counted(static_cast<int64_t>(module.stages.size()), "stage"),
               counted(static_cast<int64_t>(module.files.size()), "file"), bytesText(bytes), stages.text(4));
    Table files({Left, Left, Right});
    for (const DumpFileInfo& file : module.files) {
      files.add({file.kind, file.name, bytesText(static_cast<int64_t>(file.sizeBytes))});
    }
    fmt::print("  files\n{}", files.text(4));
    if (!module.missing.empty()) fmt::print("  missing\n");
    for (const std::string& what : module.missing) fmt::print("    {}\n", what);
  }
  if (!dump.otherFiles.empty()) fmt::print("\nother files\n");
  for (const DumpFileInfo& file : dump.otherFiles) fmt::print("  {} ({})\n", file.name, file.kind);
}

nlohmann::json filesJson(const std::vector<DumpFileInfo>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const DumpFileInfo& file : files) {
    list.push_back({{"name", file.name}, {"kind", file.kind}, {"path", file.path}, {"size", file.sizeBytes}});
  }
  return list;
}

nlohmann::json dumpJson(const OpenedDump& dump) {
  nlohmann::json modules = nlohmann::json::array();
  for (const DumpModuleInfo& module : dump.modules) {
    nlohmann::json stages = nlohmann::json::array();
    for (const DumpStageInfo& stage : module.stages) {
      stages.push_back(
          {{"name", stage.name}, {"pipeline", stage.pipeline}, {"pass", stage.pass}, {"path", stage.path}});
    }
    modules.push_back({{"name", module.name},
                       {"process", module.process},
                       {"stages", stages},
                       {"files", filesJson(module.files)},
                       {"missing", module.missing}});
  }
  return {{"path", dump.path}, {"modules", modules}, {"other_files", filesJson(dump.otherFiles)}};
}

// What a document holds besides modules.
struct Kept {
  std::vector<RunRecord> runs;
  std::vector<Bookmark> bookmarks;
  std::vector<std::string> notes;
};

Result<Kept> keptIn(const std::string& path, const HiloDocument& document) {
  TRY(const auto store, RunStore::open(path));
  Kept kept;
  TRY(kept.runs, store->list());
  for (const DocumentItem& item : document.items) {
    const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&item.opened);
    if (file == nullptr) continue;
    const uint64_t hash = moduleHash(*(*file)->module);
    TRY(const auto bookmarks, store->bookmarksOf(hash));
    kept.bookmarks.insert(kept.bookmarks.end(), bookmarks.begin(), bookmarks.end());
    TRY(const std::string note, store->noteOf(hash));
    if (!note.empty()) kept.notes.push_back(note);
  }
  return kept;
}

void printDocument(const std::string& path, const HiloDocument& document, const Kept& kept) {
  fmt::print("document {}\n", path);
  Table items({Right, Left, Left, Left});
  for (size_t n = 0; n < document.items.size(); ++n) {
    const DocumentItem& item = document.items[n];
    const bool isDump = std::holds_alternative<std::shared_ptr<const OpenedDump>>(item.opened);
    items.add({fmt::format("#{}", n + 1), isDump ? "dump" : "file", item.title, "from " + item.sourcePath});
  }
  fmt::print("{}", items.text(2));
  Table series({Left, Right});
  for (const DocumentSeries& each : document.series) {
    series.add({each.series->title, counted(static_cast<int64_t>(each.series->steps.size()) - 1, "step")});
  }
  section("passes run", series);
  Table runs({Right, Left, Left, Left, Left});
  for (const RunRecord& run : kept.runs) {
    runs.add({fmt::format("{}", run.id.value), run.moduleName, run.engine, run.argumentsDescription,
              run.timings.n() == 0   ? ""
              : run.timings.n() == 1 ? timesText(run.timings)
                                     : "median " + durationText(run.timings.medianNs())});
  }
  section("runs", runs);
  Table bookmarks({Left, Left});
  for (const Bookmark& bookmark : kept.bookmarks) bookmarks.add({bookmark.name, bookmark.note});
  section("bookmarks", bookmarks);
  Table notes({Left});
  for (const std::string& note : kept.notes) notes.add({note});
  section("notes", notes);
}

nlohmann::json documentJson(const std::string& path, const HiloDocument& document, const Kept& kept) {
  nlohmann::json items = nlohmann::json::array(), runs = nlohmann::json::array(),
                 bookmarks = nlohmann::json::array(), series = nlohmann::json::array();
  for (const DocumentItem& item : document.items) {
    const bool isDump = std::holds_alternative<std::shared_ptr<const OpenedDump>>(item.opened);
    items.push_back({{"kind", isDump ? "dump" : "file"}, {"title", item.title}, {"source", item.sourcePath}});
  }
  for (const DocumentSeries& each : document.series)
    series.push_back({{"title", each.series->title}, {"steps", each.series->steps.size()}});
  for (const RunRecord& run : kept.runs) {
    runs.push_back({{"id", run.id.value},
                    {"module", run.moduleName},
                    {"engine", run.engine},
                    {"arguments", run.argumentsDescription},
                    {"median_ns", run.timings.medianNs()}});
  }
  for (const Bookmark& bookmark : kept.bookmarks)
    bookmarks.push_back({{"name", bookmark.name}, {"note", bookmark.note}});
  return {{"document", path}, {"items", items},         {"series", series},
          {"runs", runs},     {"bookmarks", bookmarks}, {"notes", kept.notes}};
}

int runDocument(const Options& options) {
  const auto document = readDocument(options.path);
  const auto kept = document ? keptIn(options.path, *document) : std::unexpected(document.error());
  if (!kept) {
    printError(kept.error());
    return kNo;
  }
  if (options.json) {
    printJson(documentJson(options.path, *document, *kept));
  } else {
    printDocument(options.path, *document, *kept);
  }
  return kOk;
}

int run(const Options& options) {
  auto content = openPath(options.path);
  if (content && std::holds_alternative<DocumentFile>(*content)) return runDocument(options);
  const auto opened = content ? itemOf(*std::move(content)) : std::unexpected(content.error());
  if (!opened) {
    printError(opened.error());
    return kNo;
  }
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&*opened)) {
    printWarnings((*dump)->diagnostics);
    options.json ? printJson(dumpJson(**dump)) : printDump(**dump);
    return kOk;
  }
  const auto& file = std::get<std::shared_ptr<const OpenedFile>>(*opened);
  for (const Diagnostic& diagnostic : file->diagnostics) printError(diagnostic);
  if (options.json) {
    nlohmann::json json = moduleJson(*file, options.top);
    for (const auto& other : file->others) json["others"].push_back(moduleJson(*other, options.top));
    printJson(json);
  } else {
    printModule(*file, options.top);
    for (const auto& other : file->others) {
      fmt::print("\n");
      printModule(*other, options.top);
    }
  }
  return hasErrors(file->diagnostics) ? kNo : kOk;
}

}  // namespace

void addInfo(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "Say what a module or a dump holds");
  command
      ->add_option(
          "PATH", options->path,
          "A module's file, a .hilo document (F.hilo#2: its second module), or a dump: its directory, or "
          "what XLA wrote to standard output; - reads standard input")
      ->required();
  command->add_option("--top", options->top, "Rows of each list")->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(R"(
Of a module: header, counts, cost, opcodes, element types, largest values and constants, collectives, loops, custom
calls. Of a dump: its modules, the stages of each in the order the compiler went, its files, and what is missing
with the XLA flag that writes it. Of a document: its modules, passes, runs, bookmarks and notes. Flops and bytes are counted as XLA's HloCostAnalysis counts them, a loop's times its
known trip count.

Exit status: 0 printed, 1 the input cannot be read, 2 wrong usage.

Examples:
  hilo info module.hlo --top 5
  hilo info xla_dump/
  hilo info module.hlo.pb --json | jq .flops)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
