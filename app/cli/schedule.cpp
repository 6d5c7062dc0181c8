#include "core/workspace/schedule/schedule.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/schedule/schedule_compare.h"
#include "core/workspace/schedule/schedule_export.h"
#include "core/workspace/schedule/schedule_proto.h"
#include "core/workspace/schedule/schedule_target.h"
#include "core/workspace/schedule/schedule_why.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

constexpr size_t kComparedRows = 20;

struct Options {
  std::string path, output, to, preset, device, profile, order, scenario, why, proto;
  std::string form = "module";
  std::vector<std::string> settings, moves, pins, latencies;
  bool compareOriginal = false, json = false, log = false, sync = false, list = false;
};

nlohmann::json metricsJson(const ScheduleMetrics& m) {
  return {{"makespanNs", m.makespanNs}, {"exposedNs", m.exposedNs}, {"communicationNs", m.communicationNs},
          {"computeNs", m.computeNs},   {"boundNs", m.boundNs},     {"peakBytes", m.peakBytes}};
}

nlohmann::json logJson(const std::vector<ScheduleLogStep>& log) {
  nlohmann::json list = nlohmann::json::array();
  for (const ScheduleLogStep& step : log) {
    nlohmann::json comparisons = nlohmann::json::array(), inFlight = nlohmann::json::object(),
                   skipped = nlohmann::json::array();
    for (const auto& [winner, loser, reason] : step.comparisons)
      comparisons.push_back({{"winner", winner}, {"loser", loser}, {"reason", reason}});
    for (const auto& [resource, count] : step.inFlight) inFlight[resource] = count;
    for (const auto& [name, why] : step.skipped) skipped.push_back({{"instruction", name}, {"reason", why}});
    list.push_back({{"computation", step.computation},
                    {"instruction", step.instruction},
                    {"readyTime", step.readyTime},
                    {"memoryBytes", step.memoryBytes},
                    {"inFlight", inFlight},
                    {"comparisons", comparisons},
                    {"skipped", skipped}});
  }
  return list;
}

void printReport(const ScheduleReport& report, const std::string& device) {
  const bool abstract = report.device == "uniform";
  const auto time = [&](double ns) {
    return abstract ? fmt::format("{:.0f} units", ns) : durationText(static_cast<int64_t>(ns));
  };
  const ScheduleMetrics &a = report.original.metrics, &b = report.scheduled.metrics;
  Table table({Left, Right, Right});
  table.add({"", report.originalIsMemoryOrder ? "memory order" : "original", "scheduled"});
  table.add({"makespan", time(a.makespanNs), time(b.makespanNs)});
  table.add({"exposed communication", time(a.exposedNs), time(b.exposedNs)});
  table.add({"all communication", time(a.communicationNs), time(b.communicationNs)});
  table.add({"compute", time(a.computeNs), time(b.computeNs)});
  table.add({"bound", time(a.boundNs), time(b.boundNs)});
  table.add({"peak memory", bytesText(a.peakBytes), bytesText(b.peakBytes)});
  fmt::print("{} on {}\n{}", report.preset, device, table.text(2));
  fmt::print(
      "peak memory is of live values, without constants, missing copies and the gaps of a plan: hilo memory "
      "has those\n");
}

int listAll(const std::string& preset) {
  Table presets({Left, Left});
  for (const SchedulePreset& p : schedulePresets()) presets.add({p.name, p.summary});
  const auto options = scheduleOptions({.preset = preset});
  if (!options) {
    printError(options.error());
    return kUsage;
  }
  Table settings({Left, Left, Left});
  for (const ScheduleOption& option : *options) settings.add({option.name, option.value, option.summary});
  fmt::print("presets\n{}\nsettings of {}\n{}", presets.text(2), preset, settings.text(2));
  return kOk;
}

bool isUsageError(const std::string& kind) {
  return kind == "unknown-preset" || kind == "unknown-setting" || kind == "bad-setting" ||
         kind == "bad-option-value" || kind == "unknown-device" || kind == "unknown-export";
}

Status writeModule(const Options& options, const Module& module) {
  const auto kind = outputKindFor(options.to, options.output);
  if (!kind) return std::unexpected(kind.error());
  return writeResult(options.output, module, *kind);
}

std::unexpected<Diagnostic> wrongUse(const char* option, const std::string& value, const char* expected) {
  return fail("bad-option-value", fmt::format("{} {}: {} expected", option, value, expected));
}

// "A:B:C" at its colons; names hold none.
std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> list(1);
  for (const char c : text) c == ':' ? list.emplace_back() : (list.back() += c, list.back());
  return list;
}

Status readEdits(const Options& options, ScheduleScenario& scenario) {
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) return wrongUse("--set", setting, "KEY=VALUE");
    scenario.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
  for (const std::string& move : options.moves) {
    const auto names = parts(move);
    if (names.size() != 2) return wrongUse("--move", move, "NAME:BEFORE");
    scenario.moves.push_back({names[0], names[1]});
  }
  for (const std::string& pin : options.pins) {
    const auto names = parts(pin);
    if (names.size() != 3) return wrongUse("--pin", pin, "NAME:AFTER:BEFORE");
    scenario.pins.push_back({names[0], names[1], names[2]});
  }
  for (const std::string& latency : options.latencies) {
    const size_t equals = latency.find('=');
    char* end = nullptr;
    const double us = equals == std::string::npos ? -1 : std::strtod(latency.c_str() + equals + 1, &end);
    if (!(us >= 0) || end == nullptr || *end != '\0')
      return wrongUse("--latency", latency, "NAME=MICROSECONDS");
    scenario.latenciesUs[latency.substr(0, equals)] = us;
  }
  return {};
}

Result<ScheduleScenario> readScenario(const Options& options, const ScheduleTarget& target) {
  ScheduleScenario scenario{.preset = options.preset.empty() ? target.preset : options.preset,
                            .device = options.device.empty() ? target.device : options.device};
  if (!options.scenario.empty()) {
    TRY(const std::string text, readBytes(options.scenario));
    TRY(scenario, parseScenario(text, options.scenario));
  }
  TRY_STATUS(readEdits(options, scenario));
  if (!options.profile.empty()) {
    TRY(scenario.profileText, readBytes(options.profile));
    scenario.profileName = options.profile;
  }
  if (!options.order.empty()) {
    TRY(scenario.order, orderTextOf(options.order));
  }
  return scenario;
}

int refuse(const Diagnostic& why) {
  printError(why);
  return isUsageError(why.kind) ? kUsage : kNo;
}

Status printWhy(const ScheduleReport& report, const std::string& name) {
  const ScheduleOutcome& outcome = report.scheduled;
  const Instruction* instruction = outcome.module->findInstruction(name);
  if (instruction == nullptr)
    return fail("unknown-instruction", fmt::format("no instruction is called '{}'", name));
  TRY(const ScheduleAnswer answer, explainPlace(*report.study, outcome, instruction->id(), JobContext()));
  fmt::print("{}", answerText(answer));
  return {};
}

Status printComparison(const ScheduleReport& report) {
  TRY(const ScheduleComparison comparison,
      compareSchedules(*report.study, report.original, report.scheduled, JobContext()));
  fmt::print("{}", comparisonText(comparison, kComparedRows));
  return {};
}

Status writeExport(const Options& options, const ScheduleReport& report) {
  TRY(const ScheduleExport form, scheduleExportFromName(options.form));
  TRY(const ExportedSchedule exported, exportSchedule(*report.study, report.scheduled, form));
  for (const std::string& note : exported.notes) fmt::print(stderr, "note: {}\n", note);
  return writeModule(options, *exported.module);
}

void printReportJson(const Options& options, const ScheduleReport& report) {
  nlohmann::json json = {{"preset", report.preset},
                         {"device", report.device},
                         {"original", metricsJson(report.original.metrics)},
                         {"scheduled", metricsJson(report.scheduled.metrics)}};
  if (options.log) json["log"] = logJson(report.log);
  printJson(json);
}

int run(const Options& options) {
  if (options.list) return listAll(options.preset.empty() ? "gpu" : options.preset);
  if (options.path.empty()) {
    fmt::print(stderr, "hilo schedule: FILE is required\n");
    return kUsage;
  }
  const auto file = openWholeOrStage(options.path);
  if (!file) return kNo;
  auto module = std::shared_ptr<const Module>((*file)->module);
  if ((*file)->kind.starts_with("ScheduleProto")) {
    auto ordered = moduleInOrderOf(options.path);
    if (!ordered) return refuse(ordered.error());
    module = *std::move(ordered);
  }
  const ScheduleTarget target = scheduleTargetOf(*module, (*file)->path);
  const auto scenario = readScenario(options, target);
  if (!scenario) return refuse(scenario.error());
  const auto report = scheduleModule({.module = module,
                                      .scenario = *scenario,
                                      .asyncCollectives = !options.sync && target.asyncCollectives,
                                      .keepLog = options.log,
                                      .charts = !options.why.empty()},
                                     JobContext());
  if (!report) return refuse(placedIn(**file, report.error()));
  for (const std::string& note : report->scheduled.notes) fmt::print(stderr, "note: {}\n", note);
  for (const ScheduleFault& fault : report->scheduled.faults)
    printError({.kind = "bad-schedule", .message = fault.message, .place = {.file = options.order}});
  if (!report->scheduled.faults.empty()) return kNo;
  if (!options.why.empty()) {
    const Status told = printWhy(*report, options.why);
    return told ? kOk : refuse(told.error());
  }
  if (options.json) {
    printReportJson(options, *report);
  } else if (options.output.empty() || options.compareOriginal) {
    const bool isTargets = options.device.empty() && options.scenario.empty();
    printReport(*report, isTargets ? targetText(target) : report->device);
  }
  if (options.compareOriginal && !options.json) {
    const Status compared = printComparison(*report);
    if (!compared) return refuse(compared.error());
  }
  if (!options.proto.empty()) {
    const auto bytes = writeScheduleProto(*report->scheduled.module, *report->scheduled.timeline);
    const Status written = bytes ? writeOutput(options.proto, *bytes) : std::unexpected(bytes.error());
    if (!written) return refuse(written.error());
  }
  if (options.output.empty()) return kOk;
  const Status written = writeExport(options, *report);
  return written ? kOk : refuse(written.error());
}

}  // namespace

void addSchedule(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("schedule", "Order a module's instructions and say what that gains");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input");
  command->add_option(
      "--preset", options->preset,
      "Named settings (default: of what the module was compiled for, gpu where nothing says)");
  command->add_option("--set", options->settings, "A setting, KEY=VALUE; may be given again")
      ->allow_extra_args(false);
  command->add_option(
      "--target,--device", options->device,
      "Cost model: uniform, a device or a JSON file of one (default: the device that the module "
      "was compiled for, as far as it and the files beside it say; else h200)");
  command->add_option("--profile", options->profile,
                      "Measured times that override the device's: XLA's profile text form, or lines "
                      "NAME,MICROSECONDS");
  command->add_flag("--sync", options->sync, "Leave synchronous collectives as they are");
  command->add_option("-o,--output", options->output, "Write the scheduled module; - is standard output");
  command->add_option("--to", options->to, "What to write, as in hilo convert");
  command->add_option("--why", options->why,
                      "Say why this instruction stands where it does, and what hides it");
  command
      ->add_option("--move", options->moves, "NAME:BEFORE: put an instruction before another; again for more")
      ->allow_extra_args(false);
  command->add_option("--pin", options->pins, "NAME:AFTER:BEFORE: hold an instruction between two others")
      ->allow_extra_args(false);
  command->add_option("--latency", options->latencies, "NAME=MICROSECONDS: what an instruction takes")
      ->allow_extra_args(false);
  command->add_option(
      "--order", options->order,
      "A file with the order to take: names one a line, HLO text, or a schedule as XLA dumps it");
  command->add_option("--write-proto", options->proto,
                      "Also write the schedule as XLA dumps it (ScheduleProto)");
  command->add_option("--scenario", options->scenario,
                      "A file the studio saved: preset, settings, device and edits");
  command->add_option("--export", options->form, "What -o writes: module, control, annotations")
      ->capture_default_str();
  command->add_flag("--compare-original", options->compareOriginal,
                    "Print the comparison also with -o, each collective's exposed time and what moved");
  command->add_flag("--json", options->json, "Print JSON: original and scheduled");
  command->add_flag("--log", options->log, "With --json: every comparison the scheduler made");
  command->add_flag("--list", options->list, "List presets, and the settings of --preset");
  command->footer(R"(
A module without a schedule gets a memory-minimising one first. Times come from the cost model: they compare orders.

Exit status: 0 scheduled, 1 the module cannot be read or scheduled, 2 wrong usage.

Examples:
  hilo schedule --compare-original module.hlo
  hilo schedule --preset gpu --set parallel_collective_overlap_limit=2 module.hlo -o scheduled.hlo
  hilo schedule --target uniform --json --log module.hlo)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
