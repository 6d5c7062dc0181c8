#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/partition_against.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/partition/advice.h"
#include "core/workspace/partition/alike_rows.h"
#include "core/workspace/partition/partition_json.h"
#include "core/workspace/partition/sharding_history.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, output, to, target, why, against;
  std::vector<std::string> constraints, otherConstraints;
  int64_t devices = 0, otherDevices = 0;
  size_t top = 12;
  bool json = false, fewestBytes = false;
};

std::string timeText(double ns) { return durationText(static_cast<int64_t>(ns)); }
std::string axesOr(const PartitionCollective& row) {
  return row.axes.empty() ? counted(row.groupSize, "device") : fmt::format("{}", fmt::join(row.axes, ", "));
}
std::string placeText(const std::string& source) { return source.empty() ? "" : "  " + source; }

// What this one is held against: the same without constraints, or another.
struct HeldAgainst {
  const Partitioning* partitioning = nullptr;  // null: nothing
  std::string name, ours;                      // titles of the two
};

void printFigures(const Partitioning& now, const HeldAgainst& other) {
  const Partitioning* before = other.partitioning;
  Table table(before == nullptr ? std::vector{Left, Right} : std::vector{Left, Right, Right});
  const auto row = [&](const char* name, auto text) {
    std::vector<std::string> cells = {name, text(now)};
    if (before != nullptr) cells.insert(cells.begin() + 1, text(*before));
    table.add(std::move(cells));
  };
  if (before != nullptr) table.add({"", other.name, other.ours});
  row("step", [](const Partitioning& p) { return timeText(p.metrics.makespanNs); });
  row("communication", [](const Partitioning& p) { return timeText(p.metrics.communicationNs); });
  row("  exposed", [](const Partitioning& p) { return timeText(p.metrics.exposedNs); });
  row("peak memory", [](const Partitioning& p) { return bytesText(p.metrics.peakBytes); });
  row("collectives",
      [](const Partitioning& p) { return grouped(static_cast<int64_t>(p.collectives.size())); });
  row("full rematerializations",
      [](const Partitioning& p) { return grouped(static_cast<int64_t>(p.fullRematerializations.size())); });
  fmt::print("{}", table.text(2));
}

struct KindSum {
  int64_t count = 0, bytes = 0;
  double ns = 0, exposedNs = 0;
};

std::map<std::string, KindSum> kindsOf(const Partitioning& partitioning) {
  std::map<std::string, KindSum> kinds;
  for (const PartitionCollective& row : partitioning.collectives) {
    KindSum& sum = kinds[row.kind];
    ++sum.count;
    sum.bytes += row.bytes * row.times;
    sum.ns += row.ns;
    sum.exposedNs += row.exposedNs;
  }
  return kinds;
}

// A row a kind; the other's first, where there is one.
void printKinds(const Partitioning& now, const HeldAgainst& other) {
  Table table({Left, Right, Right, Right, Right});
  const auto add = [&](const std::string& title, const KindSum& sum) {
    table.add({title, grouped(sum.count), bytesText(sum.bytes), timeText(sum.ns), timeText(sum.exposedNs)});
  };
  table.add({"collectives", "count", "total bytes (x trip count)", "time", "exposed"});
  auto kinds = kindsOf(now);
  auto others = other.partitioning == nullptr ? kinds : kindsOf(*other.partitioning);
  for (const auto& [kind, sum] : others) kinds.try_emplace(kind);
  for (const auto& [kind, sum] : kinds) {
    if (other.partitioning != nullptr) add(fmt::format("{}, {}", kind, other.name), others[kind]);
    add(kind, sum);
  }
  if (!kinds.empty()) fmt::print("\n{}", table.text());
}

void printMore(size_t count, size_t shown) {
  if (count > shown) fmt::print("  ... and {} more\n", grouped(static_cast<int64_t>(count - shown)));
}

void printProblems(const Partitioning& partitioning, size_t top) {
  const auto& full = partitioning.fullRematerializations;
  if (!full.empty()) fmt::print("\nfull rematerializations: all of an array comes to each device\n");
  for (size_t i = 0; i < std::min(top, full.size()); ++i) {
    fmt::print("  {}  {}{}\n", bytesText(full[i].bytes), full[i].cause.text,
               placeText(full[i].cause.consumer.source));
  }
  printMore(full.size(), top);
  const auto replications = alikeReplications(partitioning);
  if (!replications.empty()) fmt::print("\ncomputed by several devices alike, and the time that takes\n");
  for (size_t i = 0; i < std::min(top, replications.size()); ++i) {
    const std::vector<const Replication*>& rows = replications[i];
    fmt::print("  {}  %{}{}: {}{}\n", timeText(sumOf(rows, &Replication::wastedNs)), rows[0]->name,
               moreAlike(rows.size()), rows[0]->text, placeText(rows[0]->source));
  }
  printMore(replications.size(), top);
}

void printCollectives(const Partitioning& partitioning, size_t top) {
  const auto groups = alikeCollectives(partitioning);
  if (groups.empty()) return;
  fmt::print("\nlongest collectives\n");
  for (size_t i = 0; i < std::min(top, groups.size()); ++i) {
    const PartitionCollective& row = *groups[i][0];
    fmt::print("  %{}{}  {} x {} along {}, {}, exposed {}\n", row.name, moreAlike(groups[i].size()),
               bytesText(row.bytes), grouped(row.times), axesOr(row),
               timeText(sumOf(groups[i], &PartitionCollective::ns)),
               timeText(sumOf(groups[i], &PartitionCollective::exposedNs)));
    if (row.cause) fmt::print("      {}{}\n", row.cause->text, placeText(row.cause->consumer.source));
  }
  printMore(groups.size(), top);
}

void printEnd(const char* role, const MoveEnd& end) {
  if (end.name.empty()) return;
  fmt::print("  {:<9} %{} {}: {}{}, {}\n", role, end.name, end.opcode,
             end.sharding.empty() ? "no sharding" : end.sharding, placeText(end.source), end.rule);
}

void printHistory(const std::string& name, const std::vector<ShardingStep>& steps) {
  fmt::print("\nhow %{} came to its sharding\n", name);
  if (steps.empty()) fmt::print("  it has none: no rule gave it one\n");
  for (const ShardingStep& step : steps)
    fmt::print("  %{} {}: {}, {}{}\n", step.at.name, step.at.opcode, step.gave, step.at.rule,
               placeText(step.at.source));
}

void printAdvice(const std::vector<ShardingAdvice>& advice) {
  if (!advice.empty()) fmt::print("\nto try\n");
  for (const ShardingAdvice& one : advice) {
    fmt::print("  {}\n    --constrain '{}={}'\n", one.text, one.constraint.instruction,
               one.constraint.sharding);
    if (!one.code.empty()) fmt::print("    {}\n", one.code);
  }
}

void printCause(const Partitioning& partitioning, const PartitionCollective& row) {
  fmt::print("%{} {}: {}, {} x {} along {}, {}, exposed {}\n", row.name, row.shape, row.kind,
             bytesText(row.bytes), grouped(row.times), axesOr(row), timeText(row.ns),
             timeText(row.exposedNs));
  if (!row.cause) {
    fmt::print("  it was in the module before it was partitioned\n");
    return;
  }
  fmt::print("  {}\n", row.cause->text);
  printEnd("value", row.cause->producer);
  printEnd("needed by", row.cause->consumer);
  for (const MoveEnd* end : {&row.cause->producer, &row.cause->consumer}) {
    if (end->name.empty() || (end == &row.cause->consumer && end->name == row.cause->producer.name)) continue;
    if (const auto steps = shardingHistory(partitioning, end->name)) printHistory(end->name, *steps);
  }
  printAdvice(adviceFor(partitioning, row));
}

int printWhy(const Partitioning& partitioning, std::string name) {
  if (name.starts_with("%")) name.erase(0, 1);
  for (const PartitionCollective& row : partitioning.collectives) {
    if (row.name == name) {
      printCause(partitioning, row);
      return kOk;
    }
  }
  const auto steps = shardingHistory(partitioning, name);
  if (!steps) {
    printError(steps.error());
    return kNo;
  }
  printHistory(name, *steps);
  for (const Replication& row : partitioning.replications) {
    if (row.name != name) continue;
    fmt::print("\n{}: {}\n", row.text, timeText(row.wastedNs));
    printAdvice(adviceFor(partitioning, row));
  }
  return kOk;
}

void print(const Partitioning& now, const Partitioning* before, const Options& options) {
  const bool isSame = options.otherConstraints.empty() && options.otherDevices == 0;
  const char* changed = options.constraints.empty() ? "by fewest bytes" : "with constraints";
  const HeldAgainst other{before, isSame ? "before" : "other", isSame ? changed : "this"};
  fmt::print("{}: {} of {}, on {}\n", now.local->name(),
             counted(static_cast<int64_t>(now.local->partitionCount()), "device"),
             now.mesh.axes.empty() ? "no named mesh" : "mesh " + meshText(now.mesh), now.deviceText);
  for (const std::string& note : now.notes) fmt::print("note: {}\n", note);
  printFigures(now, other);
  printKinds(now, other);
  printProblems(now, options.top);
  printCollectives(now, options.top);
  if (!options.fewestBytes && now.spread != nullptr && now.metrics.exposedNs > 0) {
    fmt::print(
        "\nto try: --fewest-bytes lays each operation where fewest bytes move; what XLA does first is not "
        "always the cheapest\n");
  }
}

// The module optimized for a GPU, against what XLA made of it.
int compareWithXla(const Options& options, const PartitionRequest& request, const OpenedFile& file) {
  const auto after = openWholeOrStage(options.against, DumpEnd::First);
  if (!after) return kNo;
  const auto against = withProgress(
      "partition", [&](JobContext& job) { return partitionAgainst(request, *(*after)->module, job); });
  if (!against) {
    printError(placedIn(file, against.error()));
    return kNo;
  }
  options.json ? printJson(againstJson(*against)) : printAgainst(*against, options.top);
  return kOk;
}

bool isWrongUse(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"bad-constraint", "no-such-instruction", "unknown-device",
                                         "bad-device", "bad-device-count"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

int run(const Options& options) {
  const auto kind = outputKindFor(options.to, options.output.empty() ? "-" : options.output);
  const auto constraints = constraintsFromTexts(options.constraints);
  const auto others = constraintsFromTexts(options.otherConstraints);
  for (const Diagnostic* wrong :
       {kind ? nullptr : &kind.error(), constraints ? nullptr : &constraints.error(),
        others ? nullptr : &others.error()}) {
    if (wrong == nullptr) continue;
    printError(*wrong);
    return kUsage;
  }
  const auto file = openWholeOrStage(options.path, DumpEnd::First);
  if (!file) return kNo;
  PartitionRequest request{
      .module = (*file)->module, .path = (*file)->path, .devices = options.devices, .device = options.target};
  if (!options.against.empty()) return compareWithXla(options, request, **file);
  const auto partition = [&](const PartitionRequest& of) {
    return withProgress("partition", [&](JobContext& job) { return makePartitioning(of, job); });
  };
  PartitionRequest otherRequest = request;
  otherRequest.constraints = *others;
  if (options.otherDevices > 0) otherRequest.devices = options.otherDevices;
  const bool hasOther =
      !constraints->empty() || !others->empty() || options.otherDevices > 0 || options.fewestBytes;
  const auto before = partition(otherRequest);
  request.constraints = *constraints;
  request.fewestBytes = options.fewestBytes;
  const auto now = hasOther && before ? partition(request) : before;
  if (!now) {
    printError(placedIn(**file, now.error()));
    return isWrongUse(now.error().kind) ? kUsage : kNo;
  }
  const bool isQuiet = options.output == "-";
  if (options.json && !isQuiet) {
    nlohmann::json json = partitioningJson(**now);
    if (hasOther) json["other"] = partitioningJson(**before);
    printJson(json);
  }
  if (!options.output.empty()) {
    if (const Status written = writeResult(options.output, *(*now)->local, *kind); !written) {
      printError(written.error());
      return kNo;
    }
  }
  if (options.json || isQuiet) return kOk;
  if (!options.why.empty()) return printWhy(**now, options.why);
  print(**now, hasOther ? before->get() : nullptr, options);
  return kOk;
}

}  // namespace

void addPartition(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "partition", "Make the program of one device, and say which sharding made each collective necessary");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  command->add_option("-o,--output", options->output,
                      "Where to write the program of one device; - is standard output");
  command->add_option("--to", options->to,
                      "What to write, as in hilo convert; told by the ending of -o if left out");
  command->add_option("--devices", options->devices, "For so many devices")
      ->check(CLI::Range(2, 1 << 20))
      ->default_str("as many as the module asks for");
  command->add_option("--target", options->target, "The device whose times are estimated: a name or a file")
      ->default_str("what the module was compiled for, else h200");
  command
      ->add_option("--why", options->why,
                   "A collective: what made it necessary. An instruction: how it came to its sharding")
      ->type_name("NAME");
  command
      ->add_option(
          "--constrain", options->constraints,
          "Annotate an instruction before shardings spread, and compare with doing without: NAME=SHARDING")
      ->type_name("NAME=SHARDING")
      ->allow_extra_args(false);
  command->add_flag("--fewest-bytes", options->fewestBytes,
                    "Lay each operation where fewest bytes move, not in XLA's order, and compare with that");
  command
      ->add_option(
          "--against", options->against,
          "XLA's optimized module of the same program: its collectives beside those that the pipeline "
          "gpu makes of FILE, by kind, in number and bytes")
      ->type_name("AFTER")
      ->excludes("--output")
      ->excludes("--why")
      ->excludes("--constrain");
  command
      ->add_option("--other-constrain", options->otherConstraints,
                   "A constraint of the partitioning that this one is held against; without one it has none")
      ->type_name("NAME=SHARDING")
      ->allow_extra_args(false);
  command
      ->add_option("--other-devices", options->otherDevices, "Hold it against the same for so many devices")
      ->check(CLI::Range(2, 1 << 20));
  command->add_option("--top", options->top, "Rows of each list")->capture_default_str();
  command->add_flag("--json", options->json,
                    "Print JSON: collectives, reshards, fullRematerializations, ...");
  command->footer(R"(
Bytes are those of one device, the larger of what goes in and what comes out. Times are estimated; "exposed" is what no
work hides in the order that the scheduler makes.

Exit status: 0 partitioned, 1 it cannot be, 2 wrong usage.

Examples:
  hilo partition step.before_optimizations.txt
  hilo partition step.before_optimizations.txt -o one_device.hlo
  hilo partition step.before_optimizations.txt --why all-gather.5
  hilo partition step.before_optimizations.txt --constrain 'dot.8={devices=[8,1]<=[8]}'
  hilo partition step.before_optimizations.txt --devices 16 --other-devices 8
  hilo partition step.before_optimizations.txt --against step.sm_9.0_gpu_after_optimizations.txt
  hilo partition step.before_optimizations.txt --json | jq '.collectives[] | {kind, bytes, cause: .cause.text}')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
