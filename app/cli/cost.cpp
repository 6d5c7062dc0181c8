#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/opcode_text.h"
#include "app/cli/report.h"
#include "core/base/files.h"
#include "core/workspace/caveats/caveats.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/schedule/schedule.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

struct Options {
  std::string path, device, profile, fit;
  size_t top = 30;
  bool json = false;
};

// Of what was measured, also how far the device's estimate is from it.
std::string boundText(const CostRow& row) {
  if (row.bound != "measured") return row.bound;
  return fmt::format("measured, estimated {} ({:+.0f}%)", durationText(static_cast<int64_t>(row.estimatedNs)),
                     100 * (row.estimatedNs - row.ns) / row.ns);
}

void printRows(const CostReport& report, const std::string& device, size_t top) {
  fmt::print("{} serial total on {}\n", durationText(static_cast<int64_t>(report.totalNs)), device);
  Table table({Right, Right, Right, Left, Left, Right, Right, Left, Left});
  table.add({"total", "once", "times", "instruction", "opcode", "flops", "bytes", "bound", ""});
  for (size_t n = 0; n < report.rows.size() && n < top; ++n) {
    const CostRow& row = report.rows[n];
    table.add({durationText(static_cast<int64_t>(row.totalNs)), durationText(static_cast<int64_t>(row.ns)),
               grouped(row.times), std::string(row.instruction->name()), opcodeAndTarget(*row.instruction),
               amountText(row.flops), bytesText(row.bytes), boundText(row), row.note});
  }
  fmt::print("{}", table.text(2));
  if (report.rows.size() > top) fmt::print("  ... and {} more\n", report.rows.size() - top);
  for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
}

void printRowsJson(const CostReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CostRow& row : report.rows) {
    rows.push_back({{"name", row.instruction->name()},
                    {"computation", row.instruction->parent().name()},
                    {"opcode", row.instruction->opcodeText()},
                    {"ns", row.ns},
                    {"estimatedNs", row.estimatedNs},
                    {"times", row.times},
                    {"totalNs", row.totalNs},
                    {"flops", row.flops},
                    {"bytesAccessed", row.bytes},
                    {"bound", row.bound},
                    {"note", row.note}});
  }
  printJson({{"device", report.device},
             {"notes", report.notes},
             {"totalNs", report.totalNs},
             {"instructions", rows}});
}

// Writes the fitted device, and says what changed.
int writeFit(const Module& module, const std::string& device, const std::string& profile,
             const Options& options) {
  const auto fit = fittedDevice(module, device, profile, options.profile);
  if (!fit) {
    printError(fit.error());
    return fit.error().kind == "unknown-device" ? kUsage : kNo;
  }
  if (const auto written = writeBytes(options.fit, deviceJson(fit->device)); !written) {
    printError(written.error());
    return kNo;
  }
  fmt::print(
      "{} instructions measured; estimates are off by a factor of {:.2f} in the median, {:.2f} before\n",
      fit->measured, fit->errorAfter, fit->errorBefore);
  Table table({Left, Right, Right, Right});
  table.add({"field", device, "fitted", "instructions bound by it"});
  for (const FittedField& field : fit->fields)
    table.add({field.name, fmt::format("{:.4g}", field.before), fmt::format("{:.4g}", field.after),
               grouped(field.instructions)});
  fmt::print("{}", table.text(2));
  return kOk;
}

int run(const Options& options) {
  const auto file = openWholeOrStage(options.path);
  if (!file) return kNo;
  std::string profile;
  if (!options.profile.empty()) {
    auto text = readBytes(options.profile);
    if (!text) {
      printError(text.error());
      return kNo;
    }
    profile = *std::move(text);
  }
  const ModuleCaveats caveats = caveatsOf(*(*file)->module, file->get());
  const std::string device = options.device.empty() ? caveats.target.device : options.device;
  if (!options.fit.empty()) return writeFit(*(*file)->module, device, profile, options);
  auto report = costOfModule(*(*file)->module, device, profile, options.profile);
  if (!report) {
    printError(placedIn(**file, report.error()));
    return report.error().kind == "unknown-device" ? kUsage : kNo;
  }
  for (const Caveat& caveat : caveats.caveats) {
    // Nothing here is of values.
    if (caveat.kind != CaveatKind::ElidedConstants) report->notes.push_back(caveat.text);
  }
  if (options.json) {
    printRowsJson(*report);
  } else {
    printRows(*report, options.device.empty() ? targetText(caveats.target) : device, options.top);
  }
  return kOk;
}

}  // namespace

void addCost(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("cost", "Say how long instructions take on a described device");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  command->add_option(
      "--target,--device", options->device,
      "a100, h100, h200, b200, xeon_8480, a JSON file of a device, or the "
      "gpu_target_config.pbtxt of a dump (default: the device that the module was compiled for, as "
      "far as it and the files beside it say; else h200)");
  CLI::Option* profile =
      command->add_option("--profile", options->profile,
                          "Measured times that override the device's: XLA's profile text form, or lines "
                          "NAME,MICROSECONDS");
  command
      ->add_option("--fit", options->fit,
                   "Write the device with the launch time and efficiencies that fit the measured times")
      ->needs(profile);
  command->add_option("--top", options->top, "How many instructions to print")->capture_default_str();
  command->add_flag("--json", options->json, "Print all as JSON");
  command->footer(R"(
An estimate from peak rates, to compare instructions by; resources/devices shows what a device file holds.

Exit status: 0 printed, 1 the module or profile cannot be read, 2 wrong usage.

Examples:
  hilo cost module.hlo --target h100
  hilo cost module.hlo --profile module.pbtxt --json
  hilo cost module.hlo --target h100 --profile measured.csv --fit my_h100.json)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
