#include "core/workspace/memory/memory_plans.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/memory_peaks.h"
#include "app/cli/memory_trials.h"
#include "app/cli/opcode_text.h"
#include "app/cli/report.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, against;
  std::string plan = "both";
  std::string at;
  size_t top = 10;
  bool copies = false, json = false, text = false;
  bool tries = false;
  TrialOptions trials;
};

struct NamedPlan {
  std::string_view name;
  const MemoryPlan* plan;
};

std::vector<NamedPlan> plansOf(const MemoryPlans& plans) {
  std::vector<NamedPlan> list;
  if (plans.xla) list.push_back({"XLA", &*plans.xla});
  if (plans.hilo) list.push_back({"Hilo", &*plans.hilo});
  return list;
}

// The step to look at: of the instruction asked for, or of the plan's peak.
int64_t stepOf(const MemoryPlans& plans, const MemoryPlan& plan, std::string_view at) {
  if (at.empty()) return plan.profile.peakStep;
  for (size_t i = 0; i < plans.sequence.size(); ++i) {
    if (plans.module->instruction(plans.sequence[i])->name() == at) return static_cast<int64_t>(i);
  }
  return -1;
}

std::string stepText(const MemoryPlans& plans, int64_t step) {
  if (step < 0 || step >= static_cast<int64_t>(plans.sequence.size())) return "the end";
  return fmt::format("step {}, %{}", step,
                     plans.module->instruction(plans.sequence[static_cast<size_t>(step)])->name());
}

std::string percentOf(int64_t part, int64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void printTotals(const MemoryPlans& plans, const std::vector<NamedPlan>& list) {
  Table table({Left, Right, Right});
  const auto row = [&](std::string name, auto figure) {
    std::vector<std::string> cells = {std::move(name)};
    for (const NamedPlan& named : list) cells.push_back(figure(named.plan->profile));
    cells.resize(3);
    table.add(std::move(cells));
  };
  std::vector<std::string> head = {""};
  for (const NamedPlan& named : list) head.emplace_back(named.name);
  head.resize(3);
  table.add(std::move(head));
  row("plan", [](const MemoryProfile& p) { return bytesText(p.totals.total); });
  row("  parameters", [](const MemoryProfile& p) { return bytesText(p.totals.parameters); });
  row("  constants", [](const MemoryProfile& p) { return bytesText(p.totals.constants); });
  row("  outputs", [](const MemoryProfile& p) { return bytesText(p.totals.outputs); });
  row("  temporaries", [](const MemoryProfile& p) { return bytesText(p.totals.temporaries); });
  const auto isOnHost = [](const NamedPlan& named) { return named.plan->profile.totals.host > 0; };
  if (std::ranges::any_of(list, isOnHost))
    row("on the host", [](const MemoryProfile& p) { return bytesText(p.totals.host); });
  row("peak live", [](const MemoryProfile& p) { return bytesText(p.peakBytes); });
  row("live values", [&](const MemoryProfile&) { return bytesText(plans.liveBytes); });
  row("fragmentation", [](const MemoryProfile& p) {
    return fmt::format("{} ({})", bytesText(p.fragmentationBytes()),
                       percentOf(p.fragmentationBytes(), p.totals.total));
  });
  fmt::print("{}", table.text(2));
}

void printLiveSet(const MemoryPlans& plans, const NamedPlan& named, const Options& options) {
  const MemoryProfile& profile = named.plan->profile;
  const int64_t step = stepOf(plans, *named.plan, options.at);
  const std::vector<size_t> live = liveSetAt(profile, step);
  fmt::print("\n{}: {} in use at {}\n", named.name, bytesText(profile.liveBytes[static_cast<size_t>(step)]),
             stepText(plans, step));
  Table table({Right, Left, Left, Right, Left, Left});
  for (size_t i = 0; i < std::min(options.top, live.size()); ++i) {
    const PlacedValue& value = profile.values[live[i]];
    const Instruction& instruction = *plans.module->instruction(value.instruction);
    table.add({bytesText(value.sizeBytes), value.name, opcodeAndTarget(instruction),
               fmt::format("{}+{}", value.allocation, value.offsetBytes),
               fmt::format("{}-{}", value.range.start, value.range.end),
               shortened(std::string(instruction.opName()))});
  }
  if (live.size() > options.top) table.add({"...", fmt::format("and {} more", live.size() - options.top)});
  fmt::print("{}", table.text(2));
}

void printGroups(const MemoryPlans& plans, const MemoryProfile& profile, int64_t step, size_t top) {
  const std::vector<size_t> live = liveSetAt(profile, step);
  const auto groups = [&](std::string_view title, MemoryGrouping grouping) {
    const auto rows = groupValues(profile, *plans.module, live, grouping);
    if (rows.size() < 2) return;
    Table sums({Right, Right, Left});
    for (size_t i = 0; i < std::min(top, rows.size()); ++i)
      sums.add({bytesText(rows[i].bytes), fmt::format("{} values", rows[i].values),
                rows[i].name.empty() ? "(none)" : shortened(rows[i].name)});
    fmt::print("  {}\n{}", title, sums.text(4));
  };
  groups("by scope", MemoryGrouping::Scope);
  groups("by source line", MemoryGrouping::Source);
  groups("by opcode", MemoryGrouping::Opcode);
}

void printEnds(const MemoryPlans& plans, const NamedPlan& named, size_t top) {
  const MemoryPlan& plan = *named.plan;
  if (plan.ends.empty()) return;
  fmt::print("\n{}: what ends higher in a heap than its peak live bytes\n", named.name);
  Table table({Right, Left, Left});
  for (size_t i = 0; i < std::min(top, plan.ends.size()); ++i) {
    const HeapEnd& end = plan.ends[i];
    const PlacedValue& value = plan.profile.values[end.value];
    table.add({bytesText(value.sizeBytes), value.name,
               fmt::format("ends {} above the {} that would do, {} free below at {}",
                           bytesText(value.offsetBytes + value.sizeBytes - end.neededBytes),
                           bytesText(end.neededBytes), bytesText(end.freeBelowBytes),
                           stepText(plans, end.fullestStep))});
  }
  if (plan.ends.size() > top) table.add({"...", fmt::format("and {} more", plan.ends.size() - top)});
  fmt::print("{}", table.text(2));
}

std::string placeText(PlaceKind kind, int64_t allocation, int64_t offset, const std::string& shared) {
  return fmt::format("{} {}+{}{}", placeKindName(kind), allocation, offset,
                     shared.empty() ? "" : " with " + shared);
}

void printDifferences(const MemoryPlans& plans, size_t top) {
  if (plans.differences.empty()) return;
  fmt::print("\nvalues the plans put into memory of different kinds\n");
  Table table({Right, Left, Left, Left});
  for (size_t i = 0; i < std::min(top, plans.differences.size()); ++i) {
    const PlacementDifference& row = plans.differences[i];
    table.add({bytesText(row.sizeBytes), row.name,
               "XLA: " + placeText(row.a, row.allocationA, row.offsetA, row.sharedA),
               "Hilo: " + placeText(row.b, row.allocationB, row.offsetB, row.sharedB)});
  }
  if (plans.differences.size() > top)
    table.add({"...", fmt::format("and {} more", plans.differences.size() - top)});
  fmt::print("{}", table.text(2));
}

void printAliases(const MemoryPlans& plans, size_t top) {
  if (plans.aliases.empty()) return;
  fmt::print("\nvalues that must share a place\n");
  Table table({Right, Left, Left, Left, Left});
  for (size_t i = 0; i < std::min(top, plans.aliases.size()); ++i) {
    const AliasRow& row = plans.aliases[i];
    table.add({bytesText(row.bytes), row.kind, row.from, "->", row.to});
  }
  if (plans.aliases.size() > top) table.add({"...", fmt::format("and {} more", plans.aliases.size() - top)});
  fmt::print("{}", table.text(2));
}

void printCopies(const MemoryPlans& plans, size_t top) {
  if (plans.copies.empty()) return;
  fmt::print("\ncopies\n");
  Table table({Left, Left, Left});
  for (size_t i = 0; i < std::min(top, plans.copies.size()); ++i) {
    const CopyVerdict& copy = plans.copies[i];
    table.add({copy.name, copy.verdict, copy.reason});
  }
  if (plans.copies.size() > top) table.add({"...", fmt::format("and {} more", plans.copies.size() - top)});
  fmt::print("{}", table.text(2));
}

void printPlans(const MemoryPlans& plans, const Options& options) {
  const auto list = plansOf(plans);
  fmt::print("module {}, {} instructions in {}\n", plans.module->name(),
             grouped(static_cast<int64_t>(plans.sequence.size())),
             plans.module->isScheduled() ? "the order of the schedule" : "post-order: unscheduled");
  printTotals(plans, list);
  for (const NamedPlan& named : list) {
    for (const Diagnostic& problem : named.plan->problems)
      fmt::print("  {}'s plan: {}: {}\n", named.name, problem.kind, problem.message);
    if (named.plan->profile.unknownValues > 0)
      fmt::print("  {}'s plan: {} values are not in the module\n", named.name,
                 named.plan->profile.unknownValues);
  }
  // What is live does not depend on the plan; where plans peak apart, each has its own sums.
  std::optional<int64_t> shown;
  for (const NamedPlan& named : list) {
    printLiveSet(plans, named, options);
    const int64_t step = stepOf(plans, *named.plan, options.at);
    if (shown != step) printGroups(plans, named.plan->profile, step, options.top);
    shown = step;
  }
  for (const NamedPlan& named : list) printEnds(plans, named, options.top);
  printDifferences(plans, options.top);
  printAliases(plans, options.top);
  if (options.copies) printCopies(plans, options.top);
}

nlohmann::json groupsJson(const MemoryPlans& plans, const MemoryProfile& profile,
                          const std::vector<size_t>& live, MemoryGrouping grouping, size_t top) {
  nlohmann::json list = nlohmann::json::array();
  for (const MemoryGroup& group : groupValues(profile, *plans.module, live, grouping)) {
    if (list.size() == top) break;
    list.push_back({{"name", group.name}, {"bytes", group.bytes}, {"values", group.values}});
  }
  return list;
}

nlohmann::json planJson(const MemoryPlans& plans, const MemoryPlan& plan, const Options& options) {
  const MemoryProfile& profile = plan.profile;
  const int64_t step = stepOf(plans, plan, options.at);
  const std::vector<size_t> live = liveSetAt(profile, step);
  nlohmann::json values = nlohmann::json::array(), problems = nlohmann::json::array();
  for (size_t i = 0; i < std::min(options.top, live.size()); ++i) {
    const PlacedValue& value = profile.values[live[i]];
    const Instruction& instruction = *plans.module->instruction(value.instruction);
    values.push_back({{"name", value.name},
                      {"opcode", instruction.opcodeText()},
                      {"bytes", value.sizeBytes},
                      {"allocation", value.allocation},
                      {"offset", value.offsetBytes},
                      {"start", value.range.start},
                      {"end", value.range.end},
                      {"op_name", instruction.opName()}});
  }
  for (const Diagnostic& problem : plan.problems) problems.push_back(reportJson(problem));
  nlohmann::json ends = nlohmann::json::array();
  for (size_t i = 0; i < std::min(options.top, plan.ends.size()); ++i) {
    const HeapEnd& end = plan.ends[i];
    ends.push_back({{"name", profile.values[end.value].name},
                    {"bytes", profile.values[end.value].sizeBytes},
                    {"end", profile.values[end.value].offsetBytes + profile.values[end.value].sizeBytes},
                    {"needed_bytes", end.neededBytes},
                    {"free_below_bytes", end.freeBelowBytes},
                    {"step", end.fullestStep}});
  }
  return {{"total_bytes", profile.totals.total},
          {"parameter_bytes", profile.totals.parameters},
          {"constant_bytes", profile.totals.constants},
          {"output_bytes", profile.totals.outputs},
          {"temporary_bytes", profile.totals.temporaries},
          {"thread_local_bytes", profile.totals.threadLocal},
          {"host_bytes", profile.totals.host},
          {"lower_bound_bytes", profile.peakBytes},
          {"fragmentation_bytes", profile.fragmentationBytes()},
          {"peak_step", profile.peakStep},
          {"peak_at", stepText(plans, profile.peakStep)},
          {"unknown_values", profile.unknownValues},
          {"problems", problems},
          {"heap_ends", ends},
          {"at",
           {{"step", step},
            {"bytes", profile.liveBytes[static_cast<size_t>(step)]},
            {"values", values},
            {"by_scope", groupsJson(plans, profile, live, MemoryGrouping::Scope, options.top)},
            {"by_source", groupsJson(plans, profile, live, MemoryGrouping::Source, options.top)},
            {"by_opcode", groupsJson(plans, profile, live, MemoryGrouping::Opcode, options.top)}}}};
}

nlohmann::json plansJson(const MemoryPlans& plans, const Options& options) {
  nlohmann::json aliases = nlohmann::json::array(), copies = nlohmann::json::array(),
                 named = nlohmann::json::object();
  for (size_t i = 0; i < std::min(options.top, plans.aliases.size()); ++i) {
    const AliasRow& row = plans.aliases[i];
    aliases.push_back({{"kind", row.kind}, {"from", row.from}, {"to", row.to}, {"bytes", row.bytes}});
  }
  nlohmann::json differences = nlohmann::json::array();
  for (size_t i = 0; i < std::min(options.top, plans.differences.size()); ++i) {
    const PlacementDifference& row = plans.differences[i];
    differences.push_back({{"name", row.name},
                           {"bytes", row.sizeBytes},
                           {"xla", placeKindName(row.a)},
                           {"hilo", placeKindName(row.b)},
                           {"xla_with", row.sharedA},
                           {"hilo_with", row.sharedB}});
  }
  for (const CopyVerdict& copy : options.copies ? plans.copies : std::vector<CopyVerdict>())
    copies.push_back({{"name", copy.name}, {"verdict", copy.verdict}, {"reason", copy.reason}});
  if (plans.xla) named["xla"] = planJson(plans, *plans.xla, options);
  if (plans.hilo) named["hilo"] = planJson(plans, *plans.hilo, options);
  return {{"path", plans.path},
          {"module", plans.module->name()},
          {"live_value_bytes", plans.liveBytes},
          {"instructions", plans.sequence.size()},
          {"scheduled", plans.module->isScheduled()},
          {"plans", named},
          {"differences", differences},
          {"aliases", aliases},
          {"copies", copies}};
}

// False, with the reason printed, when there is nothing to show.
bool canShow(const MemoryPlans& plans, const Options& options) {
  printWarnings(plans.notes);
  if (plansOf(plans).empty()) {
    printError({Severity::kError, "no-plan", "there is no plan to show", {.file = plans.path}, {}});
    return false;
  }
  if (!options.at.empty() && stepOf(plans, *plansOf(plans)[0].plan, options.at) < 0) {
    printError({Severity::kError,
                "unknown-instruction",
                fmt::format("no instruction that runs is called '{}'", options.at),
                {.file = plans.path},
                {}});
    return false;
  }
  return true;
}

// Of a dump with several modules, the one of that name.
const MemoryPlans* counterpart(const std::vector<MemoryPlans>& others, const MemoryPlans& plans) {
  if (others.size() == 1) return &others.front();
  const auto found = std::ranges::find_if(
      others, [&](const MemoryPlans& other) { return other.module->name() == plans.module->name(); });
  return found == others.end() ? nullptr : &*found;
}

int runAgainst(const std::vector<MemoryPlans>& planned, const Options& options,
               const MemoryPlanOptions& how) {
  const auto others = planMemory(options.against, how);
  if (!others) {
    printError(others.error());
    return kNo;
  }
  nlohmann::json json = nlohmann::json::array();
  for (const MemoryPlans& plans : planned) {
    const MemoryPlans* other = counterpart(*others, plans);
    if (other == nullptr && planned.size() > 1) continue;
    const auto compared =
        other != nullptr
            ? comparePeaks(plans, *other)
            : fail("no-such-module", fmt::format("no module is called '{}'", plans.module->name()),
                   {.file = options.against});
    if (!compared) {
      printError(compared.error());
      return kNo;
    }
    if (options.json) {
      json.push_back(peaksJson(plans, *other, *compared, options.top));
    } else {
      printPeaks(plans, *other, *compared, options.top);
    }
  }
  if (options.json) printJson(json.size() == 1 ? json[0] : json);
  return kOk;
}

int run(Options options) {
  if (options.tries) {
    options.trials.json = options.json;
    return runTrials(options.path, options.trials);
  }
  if (options.at.starts_with("%")) options.at.erase(0, 1);
  const MemoryPlanOptions how{
      .xla = options.plan != "hilo", .hilo = options.plan != "xla", .copies = options.copies, .cancel = {}};
  const auto planned = planMemory(options.path, how);
  if (!planned) {
    printError(planned.error());
    return kNo;
  }
  if (!options.against.empty()) return runAgainst(*planned, options, how);
  nlohmann::json json = nlohmann::json::array();
  for (const MemoryPlans& plans : *planned) {
    if (!canShow(plans, options)) return kNo;
    if (options.json) {
      json.push_back(plansJson(plans, options));
    } else if (options.text) {
      fmt::print("{}", printPlan(*plansOf(plans).back().plan));
    } else {
      printPlans(plans, options);
      if (planned->size() > 1) fmt::print("\n");
    }
  }
  if (options.json) printJson(json.size() == 1 ? json[0] : json);
  return kOk;
}

}  // namespace

void addMemory(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("memory", "Say where values lie and what is live when, by XLA's plan and Hilo's");
  command->add_option("PATH", options->path, "A module's file, a -buffer-assignment.txt, or a dump directory")
      ->required();
  command->add_option("--plan", options->plan, "Whose plan: xla, hilo or both")
      ->check(CLI::IsMember({"xla", "hilo", "both"}))
      ->capture_default_str();
  command->add_option("--at", options->at, "Show what is live at this instruction, not at the peak");
  CLI::Option* against = command->add_option(
      "--against", options->against, "Another module or dump: what is live at one peak and not at the other");
  command->add_option("--top", options->top, "Rows of each list")->capture_default_str();
  command->add_flag("--copies", options->copies, "Judge every copy: kept, needless, or missing, and why");
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--text", options->text, "Print the plan as XLA's -buffer-assignment.txt")
      ->excludes(json)
      ->excludes(against);
  CLI::Option* tries = command->add_flag(
      "--try", options->tries,
      "Try what may lower the peak, one change at a time: the peak, plan and step that each gives");
  tries->excludes(against);
  command
      ->add_option("--target", options->trials.device,
                   "With --try: the device whose memory and times count, a name or a file")
      ->needs(tries)
      ->default_str("what the module was compiled for, else h200");
  command
      ->add_option("--limit", options->trials.limitBytes,
                   "With --try: bytes the peak should stay below (\"16GiB\")")
      ->needs(tries)
      ->transform(CLI::AsSizeValue(false));
  command
      ->add_option("--values", options->trials.values,
                   "With --try: how many of the largest values at the peak are treated alone")
      ->needs(tries)
      ->capture_default_str();
  CLI::Option* output = command->add_option("-o", options->trials.output,
                                            "With --change: where its module goes; - is standard output");
  command
      ->add_option("--change", options->trials.change,
                   "With --try: the number of the change whose module is written")
      ->needs(tries)
      ->needs(output)
      ->check(CLI::PositiveNumber);
  output->needs(tries);
  command->footer(R"(
XLA's plan is read from the HloProto that holds the module, or from the -buffer-assignment.txt beside a dump's text.
"peak live" is what is live at one step at most, constants included: no plan of the same order can be smaller.
"fragmentation" is what the plan takes beyond that. "live values" leaves constants and what a place is larger than its
value out: the peak that hilo schedule prints of the same order. Values are listed with allocation+offset and the steps from which to which they are live.
With --against the modules are matched instruction by instruction, through renames and fusions, and their peaks told
apart: what is live at one alone, and why not at the other, and what has other bytes.
With --try changes are made on copies of the module, a module that is not scheduled is compiled by the pipeline gpu first:
arguments given away to results, another order, values computed again behind the peak or kept on the host meanwhile,
layouts without a copy, and, where the module is not partitioned yet, other shardings.

Exit status: 0 printed, 1 unreadable, no plan, or no such instruction, 2 wrong usage.

Examples:
  hilo memory xla_dump/
  hilo memory module.after_optimizations.txt --at fusion.12 --top 20
  hilo memory after.txt --against before.txt
  hilo memory module.hlo --try --target a100
  hilo memory module.hlo --try --change 1 -o smaller.hlo
  hilo memory module.hlo.pb --plan hilo --text > plan.txt
  hilo memory module.hlo.pb --json | jq '.plans | map_values(.total_bytes)')");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
