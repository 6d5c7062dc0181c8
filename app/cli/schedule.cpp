#include "core/workspace/schedule.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/convert.h"
#include "core/workspace/read_bytes.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, output, to, preset = "gpu", device = "h200", profile;
  std::vector<std::string> settings;
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

void printReport(const ScheduleReport& report) {
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
  fmt::print("{} on {}\n{}", report.preset, report.device, table.text(2));
}

int listAll(const std::string& preset) {
  Table presets({Left, Left});
  for (const SchedulePreset& p : schedulePresets()) presets.add({p.name, p.summary});
  const auto options = scheduleOptions(preset);
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
  return kind == "unknown-preset" || kind == "unknown-scheduler-option" || kind == "bad-option-value" ||
         kind == "unknown-device";
}

Status writeModule(const Options& options, const Module& module) {
  const auto kind = !options.to.empty()     ? outputKindFromName(options.to)
                    : options.output == "-" ? Result<OutputKind>(OutputKind::Text)
                                            : outputKindFromPath(options.output);
  if (!kind) return std::unexpected(kind.error());
  TRY(const std::string bytes,
      convertModule(module, ConvertOptions{.kind = *kind, .gzip = options.output.ends_with(".gz")}));
  return writeOutput(options.output, bytes);
}

int run(const Options& options) {
  if (options.list) return listAll(options.preset);
  if (options.path.empty()) {
    fmt::print(stderr, "hilo schedule: FILE is required\n");
    return kUsage;
  }
  const auto file = openWhole(options.path);
  if (!file) return kNo;
  ScheduleRequest request{.module = (*file)->module,
                          .preset = options.preset,
                          .device = options.device,
                          .asyncCollectives = !options.sync,
                          .keepLog = options.log};
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      fmt::print(stderr, "hilo schedule: --set {}: KEY=VALUE expected\n", setting);
      return kUsage;
    }
    request.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (!options.profile.empty()) {
    auto text = readBytes(options.profile);
    if (!text) {
      printError(text.error());
      return kNo;
    }
    request.profileText = *std::move(text);
    request.profileName = options.profile;
  }
  const auto report = scheduleModule(request, JobContext());
  if (!report) {
    printError(report.error());
    return isUsageError(report.error().kind) ? kUsage : kNo;
  }
  if (options.json) {
    nlohmann::json json = {{"preset", report->preset},
                           {"device", report->device},
                           {"original", metricsJson(report->original.metrics)},
                           {"scheduled", metricsJson(report->scheduled.metrics)}};
    if (options.log) json["log"] = logJson(report->log);
    printJson(json);
  } else if (options.output.empty() || options.compareOriginal) {
    printReport(*report);
  }
  if (options.output.empty()) return kOk;
  const Status written = writeModule(options, *report->scheduled.module);
  if (!written) printError(written.error());
  return written ? kOk : kNo;
}

}  // namespace

void addSchedule(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("schedule", "Order a module's instructions and say what that gains");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input");
  command->add_option("--preset", options->preset, "Named settings")->capture_default_str();
  command->add_option("--set", options->settings, "A setting, KEY=VALUE; may be given again")
      ->allow_extra_args(false);
  command->add_option("--device", options->device, "Cost model: uniform, a device or a JSON file of one")
      ->capture_default_str();
  command->add_option("--profile", options->profile,
                      "Measured times that override the device's: XLA's profile text form, or lines "
                      "NAME,MICROSECONDS");
  command->add_flag("--sync", options->sync, "Leave synchronous collectives as they are");
  command->add_option("-o,--output", options->output, "Write the scheduled module; - is standard output");
  command->add_option("--to", options->to, "What to write, as in hilo convert");
  command->add_flag("--compare-original", options->compareOriginal, "Print the comparison also with -o");
  command->add_flag("--json", options->json, "Print JSON: original and scheduled");
  command->add_flag("--log", options->log, "With --json: every comparison the scheduler made");
  command->add_flag("--list", options->list, "List presets, and the settings of --preset");
  command->footer(R"(
A module without a schedule gets a memory-minimising one first. Times come from the cost model: they compare orders.

Exit status: 0 scheduled, 1 the module cannot be read or scheduled, 2 wrong usage.

Examples:
  hilo schedule --compare-original module.hlo
  hilo schedule --preset gpu --set parallel_collective_overlap_limit=2 module.hlo -o scheduled.hlo
  hilo schedule --device uniform --json --log module.hlo)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
